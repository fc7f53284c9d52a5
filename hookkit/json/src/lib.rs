//! JSON for a hook process: reading a payload's members into typed values, and writing an answer.
//!
//! serde_json would read every value of a document, but a hook needs only a few.
//!
//! This crate is a part of hookkit, which exports the types that authors of hooks use. Hidden items are only for
//! hookkit, and not stable.

use std::borrow::Cow;

mod access;
mod blocks;
mod de;
mod error;
mod members;
mod merge;
mod number;
mod projection;
mod raw;
mod scan;
mod scanned;
mod source;
mod text;
mod write;

pub use error::Error;
pub use number::Number;
pub use raw::Json;

#[doc(hidden)]
pub use {
    de::{Deserializer, WIRE},
    members::{Index, Members},
    merge::merged,
    projection::{PayloadProjection, Projection},
    scan::{Scanner, Span},
    scanned::{Scanned, lossy},
    source::{Input, Stream},
    write::{Object, join, string},
};

/// Returns the text of a string, without its escapes.
///
/// A lone surrogate (`\ud800` without its other half), which JavaScript can send and Rust cannot represent, becomes
/// U+FFFD. If it were an error, a text that was cut in the middle of an emoji would make the hook fail.
pub(crate) fn unescape(raw: &[u8]) -> Result<Cow<'_, str>, Error> {
    if text::plain(raw) == raw.len() {
        return borrowed(raw);
    }
    // An escape is longer than its character, so there is always room for the rest of the text.
    let mut out = vec![0; raw.len()];
    let (mut from, mut to) = (0, 0);
    loop {
        // Whole steps are stored; bytes after a backslash are overwritten.
        while let (Some(step), Some(room)) = (raw[from..].first_chunk(), out[to..].first_chunk_mut()) {
            *room = *step;
            let plain = text::plain_in_step(step);
            from += plain;
            to += plain;
            if plain < step.len() {
                break;
            }
        }
        if raw.len() - from < 16 {
            let plain = text::plain(&raw[from..]);
            out[to..to + plain].copy_from_slice(&raw[from..from + plain]);
            from += plain;
            to += plain;
        }
        let Some((b'\\', escape)) = raw[from..].split_first() else {
            break;
        };
        if escape[0] == b'u' {
            let (decoded, length) = unicode_escape(escape);
            from += 1 + length;
            to += decoded.encode_utf8(&mut out[to..]).len();
        } else {
            out[to] = text::meaning(escape[0]);
            from += 2;
            to += 1;
        }
    }
    out.truncate(to);
    // Escapes were replaced by whole characters, so only the rest can be invalid.
    String::from_utf8(out).map(Cow::Owned).map_err(|err| not_utf8(&err))
}

/// Returns the text of a string without escapes.
fn borrowed(raw: &[u8]) -> Result<Cow<'_, str>, Error> {
    if let Some(text) = text::short_ascii(raw) {
        return Ok(Cow::Borrowed(text));
    }
    std::str::from_utf8(raw).map(Cow::Borrowed).map_err(|err| not_utf8(&err))
}

#[cold]
fn not_utf8(err: &dyn std::fmt::Display) -> Error {
    Error::new(format_args!("is not UTF-8 ({err})"))
}

/// Returns the character of an escape, and the number of bytes up to its end. `after` begins with the escape's `u`.
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
    digits.iter().fold(0, |sum, digit| sum * 16 + char::from(*digit).to_digit(16).unwrap_or(0))
}

#[cfg(test)]
mod differential;
#[cfg(test)]
#[path = "../../src/soak.rs"]
mod soak;
#[cfg(test)]
mod tests;
