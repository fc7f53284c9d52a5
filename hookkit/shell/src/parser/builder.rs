//! Builder of words.

use std::mem;
use std::ops::Range;

use super::is_name;
use crate::programs::up_to;
use crate::{Expansion, ExpansionKind, Part, Word};

/// A word that is being read.
#[derive(Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    /// Literal text after the parts.
    pub text: String,
    pub is_quoted: bool,
    pub has_subscript: bool,
    pub is_assignment: bool,
    /// Number of bytes of the name and its `=` or `+=`.
    value_from: usize,
    has_open_brace: bool,
    /// The words that replace this one as an argument of a command.
    pub split: Option<Vec<String>>,
}

impl Builder {
    pub(super) fn is_plain_name(&self) -> bool {
        self.parts.is_empty() && !self.is_quoted && !self.is_assignment && is_name(&self.text)
    }

    pub(super) fn is_closing_brace(&self) -> bool {
        self.parts.is_empty() && !self.is_quoted && self.text == "}"
    }

    pub(super) fn ends_with_equals(&self) -> bool {
        self.parts.is_empty() && self.text.len() == self.value_from
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.parts.is_empty() && self.text.is_empty() && !self.is_quoted
    }

    /// Returns the longest prefix of a text that belongs to the word and has no special character.
    pub(super) fn plain_start<'a>(&self, text: &'a str) -> &'a str {
        let has_no_meaning = |byte: &u8| match byte {
            b'.' | b',' => !self.has_open_brace,
            b'_' | b'/' | b'-' | b'+' | b'@' | b'%' | b':' => true,
            byte => byte.is_ascii_alphanumeric(),
        };
        let length = text.bytes().position(|byte| !has_no_meaning(&byte));
        &text[..length.unwrap_or(text.len())]
    }

    pub(super) fn plain(&mut self, char: char, next: Option<u8>) {
        match char {
            '=' if !self.is_assignment && !self.is_quoted && self.parts.is_empty() => {
                let name = self.text.strip_suffix('+').unwrap_or(&self.text);
                let name = if self.has_subscript { up_to(name, '[') } else { name };
                self.is_assignment = is_name(name);
                self.text.push('=');
                if self.is_assignment {
                    self.value_from = self.text.len();
                }
            }
            '{' => {
                self.has_open_brace = true;
                self.text.push('{');
            }
            ',' if self.has_open_brace => self.expansion(ExpansionKind::Brace, false),
            '.' if self.has_open_brace && next == Some(b'.') => self.expansion(ExpansionKind::Sequence, false),
            _ => self.text.push(char),
        }
    }

    pub(super) fn quoted(&mut self, char: char) {
        self.is_quoted = true;
        self.text.push(char);
    }

    pub(super) fn quoted_text(&mut self, text: &str) {
        self.is_quoted = true;
        self.text.push_str(text);
    }

    pub(super) fn dollar(&mut self, is_quoted: bool) {
        self.is_quoted |= is_quoted;
        self.text.push('$');
    }

    pub(super) fn expansion(&mut self, kind: ExpansionKind, is_quoted: bool) {
        self.inserted(Expansion::new(kind, is_quoted));
    }

    /// Adds a variable, given as its text in braces.
    pub(super) fn variable(&mut self, text: &str, is_quoted: bool) {
        self.inserted(Expansion { variable: Some(text.into()), ..Expansion::new(ExpansionKind::Parameter, is_quoted) });
    }

    fn inserted(&mut self, expansion: Expansion) {
        if !self.text.is_empty() {
            self.parts.push(Part::Literal(mem::take(&mut self.text)));
        }
        self.parts.push(Part::Expansion(expansion));
    }

    /// Adds the text that a command prints; returns `false` if shells may change it.
    pub(super) fn printed(&mut self, mut parts: Vec<Part>, is_quoted: bool, is_last: bool) -> bool {
        if let Some(Part::Literal(text)) = parts.last_mut() {
            text.truncate(text.trim_end_matches('\n').len());
        }
        let is_split = !is_quoted && !self.is_assignment;
        let has = |chars: &[char]| parts.iter().any(|part| matches!(part, Part::Literal(text) if text.contains(chars)));
        if is_split && (has(&['*', '?', '[', '\\']) || parts == [Part::Literal(String::new())]) {
            return false;
        }
        if is_split && has(&[' ', '\t', '\n']) {
            if let ([Part::Literal(text)], true) = (&parts[..], is_last && self.is_at_start()) {
                self.split = Some(text.split_ascii_whitespace().map(str::to_owned).collect());
            }
            return false;
        }
        for part in parts {
            match part {
                Part::Literal(text) => self.quoted_text(&text),
                Part::Expansion(expansion) => self.inserted(Expansion { is_quoted, ..expansion }),
            }
        }
        true
    }

    /// Sets the position of the last expansion, if positions are kept.
    pub(super) fn place_expansion(&mut self, span: Range<usize>) {
        #[cfg(feature = "layout")]
        if let Some(Part::Expansion(expansion)) = self.parts.last_mut() {
            expansion.place = Some((span.start, span.end));
        }
        #[cfg(not(feature = "layout"))]
        let _ = (self, span);
    }

    pub(super) fn word(self, span: Range<usize>) -> Word {
        let parts = match self.parts {
            // Most words: `push` would allocate space for four.
            parts if parts.is_empty() => vec![Part::Literal(self.text)],
            parts if self.text.is_empty() => parts,
            mut parts => {
                parts.push(Part::Literal(self.text));
                parts
            }
        };
        Word { parts, is_quoted: self.is_quoted, span }
    }

    /// Returns the words of an argument.
    pub(super) fn words(mut self, span: Range<usize>) -> Vec<Word> {
        let Some(texts) = self.split.take() else {
            return vec![self.word(span)];
        };
        let word = |text| Word { parts: vec![Part::Literal(text)], is_quoted: true, span: span.clone() };
        texts.into_iter().map(word).collect()
    }

    pub(super) fn assignment(self, span: Range<usize>) -> (String, Word) {
        let value_from = self.value_from;
        let mut value = self.word(span);
        let name = value
            .known_start()
            .get(..value_from)
            .unwrap_or_default()
            .trim_end_matches('=')
            .trim_end_matches('+')
            .to_owned();
        value.cut(value_from);
        (name, value)
    }
}
