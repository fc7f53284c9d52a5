//! Writes JSON for answers.

use super::text;

/// Writes one JSON object, member by member, into a buffer.
///
/// An absent member is left out: the client drops a whole answer for one `null` (client 2.1.330).
pub struct Object<'b> {
    out: &'b mut Vec<u8>,
    empty: bool,
}

impl<'b> Object<'b> {
    /// Begins an object at the end of the buffer.
    #[inline]
    pub fn new(out: &'b mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Writes a member that is a string.
    #[inline]
    pub fn string(&mut self, key: &str, value: &str) {
        self.key(key.as_bytes());
        string(self.out, value);
    }

    /// Writes a member that is `true` or `false`.
    #[inline]
    pub fn boolean(&mut self, key: &str, value: bool) {
        self.raw(key.as_bytes(), if value { b"true" } else { b"false" });
    }

    /// Writes a member of another document: its key, including escapes, and its value.
    #[inline]
    pub fn raw(&mut self, key: &[u8], value: &[u8]) {
        self.key(key);
        self.out.extend_from_slice(value);
    }

    /// Ends the object.
    #[inline]
    pub fn end(self) {
        self.out.push(b'}');
    }

    /// Writes the comma between two members.
    fn separate(&mut self) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
    }

    fn key(&mut self, key: &[u8]) {
        self.separate();
        // The client's names have nothing to escape.
        self.out.push(b'"');
        self.out.extend_from_slice(key);
        self.out.extend_from_slice(b"\":");
    }
}

/// Writes pieces of JSON, with `text` as a string between each two.
pub fn join(out: &mut Vec<u8>, pieces: &[&str], text: &str) {
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            string(out, text);
        }
        out.extend_from_slice(piece.as_bytes());
    }
}

/// Writes a string.
pub fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let plain = text::plain(rest);
        out.extend_from_slice(&rest[..plain]);
        let Some(&special) = rest.get(plain) else { break };
        escape(out, special);
        rest = &rest[plain + 1..];
    }
    out.push(b'"');
}

fn escape(out: &mut Vec<u8>, special: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match special {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0..0x20 => {
            let (high, low) = (usize::from(special >> 4), usize::from(special & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', DIGITS[high], DIGITS[low]]);
            return;
        }
        other => other,
    };
    out.extend_from_slice(&[b'\\', short]);
}
