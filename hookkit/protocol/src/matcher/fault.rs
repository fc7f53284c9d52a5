//! The place of a fault in an expression.
//!
//! The engine reports the fault, but not its place; and it takes a few things that JavaScript refuses.
//! So the structure is read here first: escapes, classes, groups and quantifiers.
//! Whatever is called a fault here is one in JavaScript; the faults that need more to be seen are left to the engine.

use super::PatternError;
use super::source::{name_of_group, names_groups};

/// The first fault of an expression's structure.
pub(super) fn find(text: &str) -> Option<PatternError> {
    let mut reader = Reader {
        text,
        at: 0,
        groups: Vec::new(),
        is_repeatable: false,
        names_groups: names_groups(text),
    };
    reader.read().err()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    groups: Vec<Group>,
    /// `true` if what was read last may have a quantifier.
    is_repeatable: bool,
    /// `true` if any group of the expression has a name: then `\k` is a reference wherever it is.
    names_groups: bool,
}

/// A group that was opened.
struct Group {
    at: usize,
    /// `true` if the whole of it may have a quantifier.
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
                    let escaped = self.next("the backslash at its end escapes nothing", at)?;
                    self.is_repeatable = !matches!(escaped, 'b' | 'B');
                }
                '[' => self.class(at)?,
                '(' => self.group(at)?,
                ')' => {
                    let Some(group) = self.groups.pop() else {
                        return fault("`)` closes nothing", at);
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
            Some(group) => fault("`(` is never closed", group.at),
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

    /// The next character; at the end it is a fault of what began at `start`.
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
            // Above U+FFFF JavaScript sees two characters, of which the order says nothing.
            if let (Some(first), Some(last)) = (first, last)
                && first > last
                && first <= '\u{ffff}'
                && last <= '\u{ffff}'
            {
                return fault(&format!("`{first}-{last}` is a range out of order"), first_at);
            }
        }
        self.is_repeatable = true;
        Ok(())
    }

    /// One character of the class that begins at `at`, if it means itself.
    fn class_atom(&mut self, at: usize) -> Result<Option<char>> {
        let open = "`[` is never closed";
        let atom_at = self.at;
        let c = self.next(open, at)?;
        if c != '\\' {
            return Ok(Some(c));
        }
        let escaped = self.next(open, at)?;
        if escaped == 'k' && self.names_groups {
            return fault(r"`\k` is not a character where groups have names", atom_at);
        }
        if matches!(escaped, 'c' | 'x' | 'u' | '0'..='9') {
            // Some of what follows is part of the escape; none of it is punctuation.
            let rest = self
                .rest()
                .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
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
            return fault("the group's name is never ended", at);
        } else if self.rest().starts_with('?') {
            let flags = self.rest()[1..].trim_start_matches(['i', 'm', 's', '-']);
            let has_flags = flags.len() + 1 < self.rest().len();
            if !(flags.starts_with(':') || (!has_flags && flags.starts_with(['=', '!']))) {
                return fault("`(?` begins no group that JavaScript has", at);
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

    /// A quantifier in braces, or a brace that means itself.
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
        // As texts, since they may be of any length: without zeros in front the longer is the larger.
        let key = |number: &'a str| {
            let digits = number.trim_start_matches('0');
            (digits.len(), digits)
        };
        if !most.is_empty() && key(least) > key(most) {
            return fault(&format!("`{text}` has its numbers out of order"), at);
        }
        Ok(())
    }
}

/// The numbers between the braces of a quantifier; the second one is empty where there is no limit.
fn numbers(text: &str) -> Option<(&str, &str)> {
    let (least, most) = text.split_once(',').unwrap_or((text, text));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && are_digits(least) && are_digits(most)).then_some((least, most))
}

fn fault<T>(message: &str, offset: usize) -> Result<T> {
    Err(PatternError {
        message: message.to_owned(),
        offset: Some(offset),
    })
}
