//! Tokens of code: names, strings and punctuation.

use crate::prelude::*;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A name with its dots: `fs.promises.rm`, `.unlink`, `DB::table`, `$db->query`.
    Name,
    /// A string, without its quotes.
    Text(u8),
    /// One or more punctuation characters, or the end of a line.
    Mark,
}

#[derive(Clone, Copy)]
pub(crate) struct Token<'c> {
    pub kind: Kind,
    pub text: &'c str,
    pub start: usize,
}

impl<'c> Token<'c> {
    /// Returns `true` for a token in a space-separated list.
    pub(crate) fn is(&self, marks: &str) -> bool {
        !self.is_text() && lists(marks, self.text)
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_))
    }

    pub(super) fn is_empty_text(&self) -> bool {
        self.is_text() && self.text.is_empty()
    }

    pub(super) fn is_end(&self) -> bool {
        self.is("\n ;")
    }

    /// Returns the components of a name: `fs`, `promises` and `rm`.
    pub(crate) fn components(&self) -> impl DoubleEndedIterator<Item = &'c str> + use<'c> {
        let text = if self.kind == Kind::Name { self.text } else { "" };
        text.split(['.', ':', '>', '-', '?']).filter(|component| !component.is_empty())
    }

    /// Returns the last component of a name: in a call, the name of the function.
    pub(crate) fn function(&self) -> &'c str {
        if self.text.ends_with('?') {
            after_last(self.text, '.')
        } else {
            self.components().next_back().unwrap_or_default()
        }
    }

    /// Returns the name before the last component.
    pub(super) fn receiver(&self) -> &'c str {
        self.components().rev().nth(1).unwrap_or_default()
    }

    /// Returns `true` for a method of the value before it: `.unlink`.
    pub(crate) fn is_method(&self) -> bool {
        self.kind == Kind::Name && self.text.starts_with(['.', '-', ':', '?'])
    }
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// Returns the tokens of code. Comments are read like code, but no string in them continues past the line.
pub(super) fn tokens(code: &str) -> Vec<Token<'_>> {
    const MARKS: &str = "=!<>|&:+.*";
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut is_comment = false;
    while let Some(char) = code[at..].chars().next() {
        let rest = &code[at..];
        let is_apart = code[..at].ends_with([' ', '\t', '\n', ';']) || at == 0;
        let name = length_of_name(rest);
        let (kind, text) = match char {
            '\n' => (Kind::Mark, "\n"),
            // An escape, or a line that continues.
            '\\' => {
                at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            _ if char.is_whitespace() => {
                at += char.len_utf8();
                continue;
            }
            '\'' | '"' | '`' => match text_of(rest, is_comment) {
                Some((quotes, text)) => {
                    tokens.push(Token { kind: Kind::Text(rest.as_bytes()[0]), text, start: at + quotes });
                    at += text.len() + 2 * quotes;
                    continue;
                }
                None => (Kind::Mark, &rest[..1]),
            },
            '/' if begins_pattern(tokens.last()) => (Kind::Mark, &rest[..length_of_pattern(rest)]),
            _ if name > 0 => (Kind::Name, &rest[..name]),
            _ => {
                let signs = rest.find(|char| !MARKS.contains(char)).unwrap_or(rest.len());
                (Kind::Mark, &rest[..signs.max(char.len_utf8())])
            }
        };
        let begins_comment = is_apart && ["#", "//", "-- "].iter().any(|sign| rest.starts_with(sign));
        is_comment = text != "\n" && (is_comment || begins_comment);
        tokens.push(Token { kind, text, start: at });
        at += text.len();
    }
    tokens
}

/// Returns the length of a name with its dots.
fn length_of_name(text: &str) -> usize {
    let mut length = match text.strip_prefix("%x") {
        Some(rest) if !rest.starts_with(is_of_name) => return 2,
        _ => 0,
    };
    loop {
        let rest = &text[length..];
        let joint = [".", "->", "::", "?."].iter().find(|joint| rest.starts_with(**joint));
        let joint = joint.map_or(0, |joint| joint.len());
        let name = rest[joint..].find(|char| !is_of_name(char)).unwrap_or(rest.len() - joint);
        if name == 0 {
            let is_question =
                length > 0 && rest.starts_with(['?', '!']) && rest[1..].starts_with(['(', ' ', '\'', '"']);
            return length + usize::from(is_question);
        }
        length += joint + name;
    }
}

/// Returns the length of the quotes that open a string, and the string. A comment ends with its line.
fn text_of(rest: &str, is_comment: bool) -> Option<(usize, &str)> {
    let quotes = rest
        .get(..3)
        .filter(|quotes| quotes.bytes().all(|byte| byte == rest.as_bytes()[0]))
        .filter(|quotes| rest[3..].contains(*quotes))
        .unwrap_or(&rest[..1]);
    let text = &rest[quotes.len()..];
    let mut is_escaped = false;
    let (end, _) = text.char_indices().find(|(at, char)| {
        let is_end = !is_escaped && text[*at..].starts_with(quotes);
        is_escaped = !is_escaped && *char == '\\';
        is_end
    })?;
    let text = &text[..end];
    (!is_comment || !text.contains('\n')).then_some((quotes.len(), text))
}

/// Returns `true` if a slash after this token begins a pattern, not a division.
fn begins_pattern(before: Option<&Token>) -> bool {
    let begins = ['(', ',', '=', '~', '|', '&', '!', '\n', ';', '{'];
    before.is_none_or(|token| token.kind == Kind::Mark && token.text.ends_with(begins))
}

fn length_of_pattern(rest: &str) -> usize {
    let line = rest.lines().next().unwrap_or_default();
    line.match_indices('/').skip(1).find(|(at, _)| !line[..*at].ends_with('\\')).map_or(1, |(at, _)| at + 1)
}
