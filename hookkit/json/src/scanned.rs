//! Objects without a documented shape, such as the rows of transcripts, read by member name.

use std::borrow::Cow;

use super::{Deserializer, Error, Scanner};

/// A scanned object. Its members are located, but not decoded.
pub struct Scanned<'a> {
    text: &'a [u8],
    members: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Scanned<'a> {
    /// Scans a text that consists of one object.
    pub fn scan(text: &'a [u8]) -> Result<Self, Error> {
        let mut scanner = Scanner::new(text);
        scanner.object_start()?;
        // The typical number of members in a row.
        let mut members = Vec::with_capacity(24);
        while let Some(key) = scanner.key(members.is_empty())? {
            let value = scanner.value()?;
            // The client's member names have no escapes.
            members.push((scanner.slice(key.text), scanner.slice(value.text)));
        }
        scanner.end()?;
        Ok(Self { text, members })
    }

    /// Returns the text of a member.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        // If a member occurs twice, the last one counts, as in `JSON.parse`.
        let mut members = self.members.iter().rev();
        members.find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value)
    }

    /// Decodes a member that is a string; `None` for any other value.
    pub fn string(&self, name: &str) -> Option<String> {
        lossy(self.get(name)?, |value| value.as_str().map(Cow::into_owned))
    }

    /// Returns `true` if the member is this string.
    pub fn has(&self, name: &str, string: &str) -> bool {
        let string_in = |text: &'a [u8]| text.strip_prefix(b"\"")?.strip_suffix(b"\"");
        self.get(name).and_then(string_in) == Some(string.as_bytes())
    }

    /// Returns the text of the whole object.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }
}

/// Decodes a value as JavaScript does, with U+FFFD in place of invalid UTF-8.
pub fn lossy<T>(text: &[u8], decode: impl Fn(Deserializer<'_, '_>) -> Result<T, Error>) -> Option<T> {
    let decoded = decode(Deserializer::new(text));
    let decoded = decoded.or_else(|_| decode(Deserializer::new(String::from_utf8_lossy(text).as_bytes())));
    decoded.ok()
}
