//! Finds secrets in a text.

use std::fmt;
use std::ops::Range;

use regex_lite::Regex;

use crate::rules::{PRIVATE_KEY, RULES, Rule};

/// A secret in a text. Its [`Display`](fmt::Display) does not show the secret: ``"line 3: a GitHub token (`ghp_…`)"``.
#[derive(Debug)]
#[non_exhaustive]
pub struct Secret<'t> {
    rule: &'static Rule,
    /// Line number, from 1.
    pub line: usize,
    /// The secret itself, with its beginning. For a private key, and for a form without an end, only a part.
    pub text: &'t str,
    /// Position of `text`.
    at: usize,
}

impl Secret<'_> {
    /// Returns the part of the text to mask: everything after the keyword, up to the secret's end.
    pub(crate) fn extent(&self, text: &str) -> Range<usize> {
        let (start, end) = (self.at + self.rule.keyword.len(), self.at + self.text.len());
        let rest = &text[end..];
        let more = match self.rule.keyword {
            PRIVATE_KEY => rest.find("-----END").unwrap_or(rest.len()),
            _ => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || "+/=_-.".contains(c);
                rest.find(|c| !is_part(c)).unwrap_or(rest.len())
            }
        };
        start..end + more
    }

    /// Returns the kind of secret, without the article: `GitHub token`.
    pub(crate) fn kind(&self) -> &'static str {
        self.rule.name.split_once(' ').map_or(self.rule.name, |(_, kind)| kind)
    }
}

impl fmt::Display for Secret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Rule { name, keyword, .. } = self.rule;
        write!(f, "line {}: {name} (`{}…`)", self.line, keyword.trim_end())
    }
}

/// Number of bytes after a keyword to match. For forms without an end, this is enough.
const LONGEST: usize = 1024;

/// Returns the secrets in a text, in order. The time is linear in the length of the text.
pub fn secrets(text: &str) -> Vec<Secret<'_>> {
    let bytes = text.as_bytes();
    // Usually there is no keyword, and nothing is compiled.
    let mut searches: Vec<Search> = Vec::new();
    let mut line = Line::default();
    let mut found = Vec::new();
    for (at, start) in bytes.windows(3).enumerate() {
        let key = key_of(start);
        if !STARTS.has(key) {
            continue;
        }
        for rule in KEYS
            .iter()
            .enumerate()
            .filter(|(_, of_rule)| **of_rule == key)
            .map(|(number, _)| &RULES[number])
            .filter(|rule| bytes[at..].starts_with(rule.keyword.as_bytes()))
        {
            if rule.is_within || is_start_of_word(&text[..at]) {
                let index =
                    searches.iter().position(|search| search.rule.keyword == rule.keyword).unwrap_or_else(|| {
                        searches.push(Search::new(rule));
                        searches.len() - 1
                    });
                found.extend(searches[index].secret_at(text, at, &mut line));
            }
        }
    }
    found
}

/// The search for secrets of one form.
struct Search {
    rule: &'static Rule,
    regex: Regex,
    /// End of the last match: keywords before it are a part of that match.
    end: usize,
}

impl Search {
    fn new(rule: &'static Rule) -> Self {
        let regex = Regex::new(&format!("^(?:{})", rule.rest)).expect("a test compiles each");
        Self { rule, regex, end: 0 }
    }

    /// Returns the secret whose keyword is at a position, if there is one. Positions must come in order.
    fn secret_at<'t>(&mut self, text: &'t str, at: usize, line: &mut Line) -> Option<Secret<'t>> {
        if at < self.end {
            return None;
        }
        let start = at + self.rule.keyword.len();
        let behind = beginning(&text[start..], LONGEST);
        let length = self.regex.find(behind)?.end();
        let (secret, end) = (&behind[..length], start + length);
        let is_longer = length < behind.len() && text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if is_longer {
            return None;
        }
        self.end = end;
        /// Minimum entropy. Random text has more, even 16 characters from an alphabet of 32.
        const LEAST_ENTROPY: f64 = 3.0;
        // Names of files, and comments, may come before a private key's own text.
        let own = match self.rule.keyword {
            PRIVATE_KEY => secret
                .rsplit(|char: char| !char.is_ascii_alphanumeric() && !"+/".contains(char))
                .next()
                .unwrap_or_default(),
            _ => secret,
        };
        if !is_random(own, LEAST_ENTROPY) {
            return None;
        }
        line.go_to(text, at);
        (!line.is_allowed).then(|| Secret { rule: self.rule, line: line.number, text: &text[at..end], at })
    }
}

/// The current line of a search, which only moves forward.
#[derive(Default)]
struct Line {
    number: usize,
    /// Beginning of the next line.
    end: usize,
    is_allowed: bool,
}

impl Line {
    /// Moves forward to the line of a position.
    fn go_to(&mut self, text: &str, at: usize) {
        while self.end <= at {
            let rest = &text[self.end..];
            let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
            self.is_allowed = is_allowed(&rest[..length]);
            self.number += 1;
            self.end += length;
        }
    }
}

/// Returns the beginning of a text, up to a number of bytes.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first three bytes of each keyword, as a number.
static KEYS: [u32; RULES.len()] = {
    let mut keys = [0; RULES.len()];
    let mut index = 0;
    while index < RULES.len() {
        keys[index] = key_of(RULES[index].keyword.as_bytes());
        index += 1;
    }
    keys
};

const fn key_of(start: &[u8]) -> u32 {
    u32::from_be_bytes([0, start[0], start[1], start[2]])
}

/// A bit set of keywords' first bytes. Several keywords may share a bit.
///
/// Searching the text for each keyword takes four times as long.
struct Starts([u64; WORDS]);

const WORDS: usize = 1 << 10;

static STARTS: Starts = Starts::of(&KEYS);

impl Starts {
    const fn of(keys: &[u32]) -> Self {
        let mut bits = [0; WORDS];
        let mut index = 0;
        while index < keys.len() {
            let (word, bit) = Self::place(keys[index]);
            bits[word] |= bit;
            index += 1;
        }
        Self(bits)
    }

    const fn place(key: u32) -> (usize, u64) {
        let number = key.wrapping_mul(0x9e37_79b1) >> 16;
        (number as usize / 64 % WORDS, 1 << (number % 64))
    }

    fn has(&self, key: u32) -> bool {
        let (word, bit) = Self::place(key);
        self.0[word] & bit != 0
    }
}

/// Returns `true` if a word may begin after this text: also after an option's letter (`-pTOKEN`), and after an escape
/// in the notation of source code (`\n`, `\x3d`, `\u0022`) or of an address (`%3D`).
fn is_start_of_word(before: &str) -> bool {
    let bytes = before.as_bytes();
    let is_escape = |length: usize, start: &[u8]| {
        let code = bytes.len().checked_sub(length).map(|at| &bytes[at..]);
        let digits = code.and_then(|code| code.strip_prefix(start));
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match bytes {
        [b'-', letter] | [.., b' ', b'-', letter] if letter.is_ascii_alphabetic() => true,
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., last] if last.is_ascii_alphanumeric() => {
            is_escape(3, b"%") || is_escape(4, br"\x") || is_escape(6, br"\u")
        }
        _ => true,
    }
}

/// Returns `true` for a line with a comment that marks it as harmless, in a form that scanners of repositories accept.
fn is_allowed(line: &str) -> bool {
    line.contains("gitleaks:allow") || line.contains("pragma: allowlist secret")
}

/// Placeholders for a secret.
///
/// The first one is the key of the Azure Storage emulator, which is the same everywhere.
const PLACEHOLDERS: &str =
    "eby8vdm02xnocq example placeholder changeme redacted dummy deadbeef 12345678 abcdefgh xxxxx";

/// Returns `true` for a generated text, not one that a person typed: it has enough bits per character, and is not a
/// placeholder.
pub(crate) fn is_random(secret: &str, least_entropy: f64) -> bool {
    let lowercase = secret.to_ascii_lowercase();
    entropy(secret.as_bytes()) >= least_entropy && !PLACEHOLDERS.split(' ').any(|text| lowercase.contains(text))
}

/// Returns the Shannon entropy, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let whole = bytes.len() as f64;
    let share = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / whole);
    share.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
pub(crate) mod tests;
