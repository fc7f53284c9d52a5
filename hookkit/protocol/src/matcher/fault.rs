//! Finds the position of a syntax error in an expression.
//!
//! The engine reports an error without its position, and accepts some syntax that JavaScript rejects.
//! So this parser checks the structure first: escapes, classes, groups and quantifiers.
//! Every error that it finds is also an error in JavaScript; all other errors are left to the engine.

use super::PatternError;
use super::source::{name_of_group, names_groups};

/// Returns the first error in an expression's structure.
pub(super) fn find(text: &str) -> Option<PatternError> {
    let mut reader = Reader { text, at: 0, groups: Vec::new(), is_repeatable: false, names_groups: names_groups(text) };
    reader.read().err()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    groups: Vec<Group>,
    /// `true` if the item before `at` may be followed by a quantifier.
    is_repeatable: bool,
    /// `true` if any group of the expression has a name: every `\k` is then a reference.
    names_groups: bool,
}

/// An open group.
struct Group {
    at: usize,
    /// `true` if the whole group may be followed by a quantifier.
    is_repeatable: bool,
}

type Result<T = ()> = std::result::Result<T, PatternError>;

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result {
        while let Some(c) = self.rest().chars().next() {
            let at = self.at;
            self.at += c.len_utf8();
            match c {
                '\\' => {
                    let escaped = self.next("trailing backslash", at)?;
                    self.is_repeatable = !matches!(escaped, 'b' | 'B');
                }
                '[' => self.class(at)?,
                '(' => self.group(at)?,
                ')' => {
                    let Some(group) = self.groups.pop() else {
                        return fault("unmatched `)`", at);
                    };
                    self.is_repeatable = group.is_repeatable;
                }
                '|' | '^' | '$' => self.is_repeatable = false,
                '*' | '+' | '?' => self.quantifier(at, &c.to_string())?,
                '{' => self.brace(at)?,
                _ => self.is_repeatable = true,
            }
        }
        match self.groups.last() {
            Some(group) => fault("unclosed `(`", group.at),
            None => Ok(()),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        if is_there {
            self.at += text.len();
        }
        is_there
    }

    /// Reads the next character. At the end of the text, fails with `message` at `start`.
    fn next(&mut self, message: &str, start: usize) -> Result<char> {
        let Some(c) = self.rest().chars().next() else {
            return fault(message, start);
        };
        self.at += c.len_utf8();
        Ok(c)
    }

    fn class(&mut self, at: usize) -> Result {
        self.skip("^");
        while !self.skip("]") {
            let first_at = self.at;
            let first = self.class_atom(at)?;
            if self.rest().starts_with("-]") || !self.skip("-") {
                continue;
            }
            let last = self.class_atom(at)?;
            // Above U+FFFF JavaScript reads two characters, whose order does not matter.
            if let (Some(first), Some(last)) = (first, last)
                && first > last
                && first <= '\u{ffff}'
                && last <= '\u{ffff}'
            {
                return fault(&format!("the range `{first}-{last}` is out of order"), first_at);
            }
        }
        self.is_repeatable = true;
        Ok(())
    }

    /// Reads one item of the class that begins at `at`. Returns the item if it is a literal character.
    fn class_atom(&mut self, at: usize) -> Result<Option<char>> {
        let open = "unclosed `[`";
        let atom_at = self.at;
        let c = self.next(open, at)?;
        if c != '\\' {
            return Ok(Some(c));
        }
        let escaped = self.next(open, at)?;
        if escaped == 'k' && self.names_groups {
            return fault(r"invalid escape `\k` in an expression with named groups", atom_at);
        }
        if matches!(escaped, 'c' | 'x' | 'u' | '0'..='9') {
            // The escape may go on, but not with punctuation.
            let rest = self.rest().trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
            self.at = self.text.len() - rest.len();
        }
        Ok(None)
    }

    fn group(&mut self, at: usize) -> Result {
        let mut is_repeatable = true;
        if self.skip("?<=") || self.skip("?<!") {
            is_repeatable = false;
        } else if let Some(name) = name_of_group(self.rest()) {
            self.at += "?<>".len() + name.len();
        } else if self.rest().starts_with("?<") {
            return fault("unclosed group name", at);
        } else if self.rest().starts_with('?') {
            let flags = self.rest()[1..].trim_start_matches(['i', 'm', 's', '-']);
            let has_flags = flags.len() + 1 < self.rest().len();
            if !(flags.starts_with(':') || (!has_flags && flags.starts_with(['=', '!']))) {
                return fault("JavaScript does not support this group `(?`", at);
            }
            self.at = self.text.len() - flags.len() + 1;
        }
        self.groups.push(Group { at, is_repeatable });
        self.is_repeatable = false;
        Ok(())
    }

    fn quantifier(&mut self, at: usize, text: &str) -> Result {
        if !self.is_repeatable {
            return fault(&format!("`{text}` has nothing to repeat"), at);
        }
        self.skip("?");
        self.is_repeatable = false;
        Ok(())
    }

    /// Reads a quantifier in braces, or a literal brace.
    fn brace(&mut self, at: usize) -> Result {
        let end = self.rest().find('}').map(|length| self.at + length);
        let numbers = end.and_then(|end| numbers(&self.text[self.at..end]));
        let (Some(end), Some((least, most))) = (end, numbers) else {
            self.is_repeatable = true;
            return Ok(());
        };
        self.at = end + 1;
        let text = &self.text[at..self.at];
        self.quantifier(at, text)?;
        // Compared as text, since they may be of any length: without leading zeros, the longer is the larger.
        let key = |number: &'a str| {
            let digits = number.trim_start_matches('0');
            (digits.len(), digits)
        };
        if !most.is_empty() && key(least) > key(most) {
            return fault(&format!("the numbers of `{text}` are out of order"), at);
        }
        Ok(())
    }
}

/// Parses the numbers in the braces of a quantifier. The second number is empty if there is no upper limit.
fn numbers(text: &str) -> Option<(&str, &str)> {
    let (least, most) = text.split_once(',').unwrap_or((text, text));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && are_digits(least) && are_digits(most)).then_some((least, most))
}

fn fault<T>(message: &str, offset: usize) -> Result<T> {
    Err(PatternError { message: message.to_owned(), offset: Some(offset) })
}
