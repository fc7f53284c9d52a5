//! Fuzz targets, each with an oracle: a fact that must hold for every input.
//!
//! They need nightly Rust and cargo-fuzz, which builds them with AddressSanitizer and assertions:
//!
//! ```console
//! $ cargo install cargo-fuzz
//! $ cargo dev fuzz payload --seconds 600
//! ```
//!
//! New inputs go into `corpus`; `payload`, `settings` and `transcript` start with files of `tests/fixtures`. The inputs
//! of `matcher` and `rule` are not text, and have no initial files.
//!
//! An input that fails becomes a unit test next to the fixed code.

use std::io::Read;

use serde_json::Value;

/// Pseudo-random choices that depend only on the input.
pub struct Choices(u64);

impl Choices {
    /// Returns the choices of this input.
    pub fn of(input: &[u8]) -> Self {
        // FNV-1a.
        Self(input.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A reader that returns a text in pieces of varying sizes.
pub struct Pieces<'t> {
    /// The rest of the text.
    pub text: &'t [u8],
    /// The source of the sizes.
    pub choices: Choices,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = if self.choices.below(4) == 0 { 200 } else { 7 };
        let length = (1 + self.choices.below(most)).min(self.text.len()).min(buffer.len());
        let (piece, rest) = self.text.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.text = rest;
        Ok(length)
    }
}

/// Returns the document with U+FFFD in place of lone surrogates, which serde_json rejects, and `true` if one of its
/// objects has a key twice, with or without escapes.
///
/// It parses only strings and brackets, so it accepts more than JSON.
pub fn for_serde_json(document: &[u8]) -> (Vec<u8>, bool) {
    let mut text = document.to_vec();
    let mut repeats_a_key = false;
    let mut keys: Vec<Vec<String>> = vec![Vec::new()];
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => {
                let start = at;
                at = past_string(&mut text, at);
                let rest = text[at..].trim_ascii_start();
                if rest.starts_with(b":")
                    && let Ok(key) = serde_json::from_slice::<String>(&text[start..at])
                    && let Some(keys) = keys.last_mut()
                {
                    repeats_a_key |= keys.contains(&key);
                    keys.push(key);
                }
                continue;
            }
            b'{' | b'[' => keys.push(Vec::new()),
            b'}' | b']' => drop(keys.pop()),
            _ => {}
        }
        at += 1;
    }
    (text, repeats_a_key)
}

fn past_string(text: &mut [u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => match surrogate(text, at) {
                Some(0xd800..0xdc00) if matches!(surrogate(text, at + 6), Some(0xdc00..0xe000)) => at += 12,
                Some(_) => {
                    text[at..at + 6].copy_from_slice(b"\\ufffd");
                    at += 6;
                }
                None => at += 2,
            },
            _ => at += 1,
        }
    }
    text.len()
}

/// Returns the surrogate, if the escape at this offset is one.
fn surrogate(text: &[u8], at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = str::from_utf8(digits).ok()?;
    let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?;
    (0xd800..0xe000).contains(&unit).then_some(unit)
}

/// Returns the depth of nested lists and objects.
pub fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}
