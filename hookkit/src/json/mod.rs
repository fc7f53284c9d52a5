//! JSON, as far as a hook process needs it: reading a payload's members into typed values, and writing an answer.
//!
//! serde_json is not on this path: it reads every value of a document, a hook wants a few.

use std::borrow::Cow;

mod de;
mod error;
mod plain;
mod raw;
mod scan;
mod source;
mod wants;
mod write;

pub(crate) use de::Members;
pub(crate) use error::Error;
pub use raw::Json;
pub(crate) use scan::Scanner;
pub(crate) use source::{Source, Stream};
pub use wants::Wants;
pub(crate) use write::Object;

/// What a string holds, without its escapes.
///
/// A lone surrogate (`\ud800` without its other half), which JavaScript can send and Rust cannot hold, becomes U+FFFD:
/// a hook that refused it could be stopped by any text that was cut in the middle of an emoji.
pub(crate) fn unescape(raw: &[u8]) -> Result<Cow<'_, str>, Error> {
    let not_utf8 = |err: &dyn std::fmt::Display| Error::new(format_args!("is not UTF-8 ({err})"));
    if !raw.contains(&b'\\') {
        return std::str::from_utf8(raw)
            .map(Cow::Borrowed)
            .map_err(|err| not_utf8(&err));
    }
    // An escape stands for fewer bytes than it takes; whole blocks are stored, so there must be room behind the end.
    const BLOCK: usize = 16;
    let mut out = vec![0; raw.len() + BLOCK];
    let (mut from, mut to) = (0, 0);
    while from < raw.len() {
        let plain = match raw[from..].first_chunk::<BLOCK>() {
            Some(block) => {
                out[to..to + BLOCK].copy_from_slice(block);
                block.iter().position(|byte| *byte == b'\\').unwrap_or(BLOCK)
            }
            None => {
                let rest = &raw[from..];
                let plain = rest.iter().position(|byte| *byte == b'\\').unwrap_or(rest.len());
                out[to..to + plain].copy_from_slice(&rest[..plain]);
                plain
            }
        };
        from += plain;
        to += plain;
        if raw.get(from) == Some(&b'\\') {
            let (decoded, length) = escape(&raw[from + 1..]);
            from += 1 + length;
            to += decoded.encode_utf8(&mut out[to..]).len();
        }
    }
    out.truncate(to);
    // Escapes are replaced by whole characters, so the rest is as valid as it was.
    String::from_utf8(out).map(Cow::Owned).map_err(|err| not_utf8(&err))
}

/// What the escape means that follows a backslash, and how many bytes it takes. The scanner has checked its form.
fn escape(after: &[u8]) -> (char, usize) {
    let simple = match after[0] {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(after),
        other => char::from(other),
    };
    (simple, 1)
}

fn unicode_escape(after: &[u8]) -> (char, usize) {
    let unit = hex(&after[1..5]);
    if let Some(decoded) = char::from_u32(unit) {
        return (decoded, 5);
    }
    let low = match after.get(5..11) {
        Some([b'\\', b'u', digits @ ..]) => hex(digits),
        _ => 0,
    };
    if unit < 0xDC00 && (0xDC00..0xE000).contains(&low) {
        let joined = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        return (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), 11);
    }
    (char::REPLACEMENT_CHARACTER, 5)
}

fn hex(digits: &[u8]) -> u32 {
    digits
        .iter()
        .fold(0, |sum, digit| sum * 16 + char::from(*digit).to_digit(16).unwrap_or(0))
}

#[cfg(test)]
mod tests;
