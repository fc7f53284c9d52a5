//! An entry of the reviewed list: a line `FILE PART VALUE`, which git can compare and merge.
//!
//! FILE and PART are JSON strings if they contain special characters. VALUE is JSON with only visible characters.

use std::path::Path;

use hookkit_protocol::escape::{LineEnds, escape};
use serde_json::Value;

use super::checkout::Kind;
use crate::settings::record::fingerprint;

/// Name of the part for a whole file, compared by SHA-256.
const FILE: &str = "file";

/// Name of the part for a link out of the checkout, compared by target.
pub(super) const LINK: &str = "link";

/// Name of the part for an unreadable file. Such an entry is never accepted.
const UNREAD: &str = "unread";

/// Maximum size of a value in bytes. For a longer one, the line has its SHA-256.
const LONGEST: usize = 4096;

/// A part of a checkout that a session runs, or that decides what runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Path in the checkout.
    pub(crate) file: String,
    /// Part of the file, such as `hooks.PreToolUse`.
    pub(crate) part: String,
    /// Value of the part, as in the line.
    pub(crate) value: String,
}

impl Entry {
    pub(super) fn new(file: &Path, part: impl Into<String>, value: &Value) -> Self {
        let text = value.to_string();
        let value =
            if text.len() <= LONGEST { escape(&text, LineEnds::Blank).into_owned() } else { digest(text.as_bytes()) };
        Self { file: file.to_string_lossy().into_owned(), part: part.into(), value }
    }

    /// Returns the entry of a whole file.
    pub(super) fn of_file(file: &Path, bytes: &[u8]) -> Self {
        Self { value: digest(bytes), ..Self::new(file, FILE, &Value::Null) }
    }

    /// Returns the entry, extended with everything else that decides whether the file runs.
    pub(super) fn of_kind(mut self, kind: &Kind) -> Self {
        if let Kind::File { is_program, is_linked } = kind {
            self.value += if *is_program { " executable" } else { "" };
            self.value += if *is_linked { " link" } else { "" };
        }
        self
    }

    /// Returns the entry of an unreadable file, with the reason.
    pub(super) fn unread(file: &Path, why: &str) -> Self {
        Self::new(file, UNREAD, &why.into())
    }

    /// Returns the entry with its value replaced by the value's SHA-256.
    pub(super) fn hidden(self) -> Self {
        Self { value: digest(self.value.as_bytes()), ..self }
    }

    pub(crate) fn is_unread(&self) -> bool {
        self.part == UNREAD
    }

    pub(crate) fn is_file(&self) -> bool {
        self.part == FILE
    }

    /// Returns the line, without the line feed.
    pub(crate) fn line(&self) -> String {
        format!("{} {} {}", word(&self.file), word(&self.part), self.value)
    }

    /// Parses a line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (file, rest) = first_word(line)?;
        let (part, value) = first_word(rest)?;
        (!value.is_empty()).then(|| Self { file, part, value: value.to_owned() })
    }
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", fingerprint(bytes))
}

/// Returns a text as a word of a line.
fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if !text.is_empty() && !text.starts_with('#') && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        escape(&Value::from(text).to_string(), LineEnds::Blank).into_owned()
    }
}

/// Returns a line's first word, and the rest after a space.
fn first_word(line: &str) -> Option<(String, &str)> {
    if !line.starts_with('"') {
        let (word, rest) = line.split_once(' ')?;
        return (!word.is_empty()).then(|| (word.to_owned(), rest));
    }
    let mut words = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let word = words.next()?.ok()?;
    Some((word, line[words.byte_offset()..].strip_prefix(' ')?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_has_the_entry() {
        let texts = [".claude/settings.json", "a b", "#", "", "\"", "é", "a\nb\u{202e}c", "\u{1b}[2J"];
        for file in texts {
            for part in texts {
                let entry = Entry::new(Path::new(file), part, &json!({"command": file, "matcher": [part]}));
                let line = entry.line();
                assert_eq!(Entry::parse(&line).as_ref(), Some(&entry), "{line}");
                assert!(!line.starts_with('#') && !line.contains(['\n', '\u{1b}', '\u{202e}']), "{line}");
            }
        }
        for line in ["", "a", "a b", "a b ", "\"a b c", "\"a\"b c d", " a b c", "<<<<<<< ours"] {
            assert_eq!(Entry::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_long_value_is_a_digest() {
        let entry = |text: &str| Entry::new(Path::new("f"), "p", &text.repeat(LONGEST).into());
        assert!(entry("a").value.starts_with("sha256:"));
        assert_ne!(entry("a"), entry("b"));
    }
}
