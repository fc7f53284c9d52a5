//! Finds secrets in a text.

use std::fmt;
use std::ops::Range;

use regex_lite::Regex;

use crate::rules::{PRIVATE_KEY, RULES, Rule};

/// A secret in a text. It displays without itself: ``"line 3: a GitHub token (`ghp_…`)"``.
#[derive(Debug)]
#[non_exhaustive]
pub struct Secret<'t> {
    rule: &'static Rule,
    /// Number of its line, from 1.
    pub line: usize,
    /// The secret itself, with its beginning. Of a private key, and of a form without an end, it is a part.
    pub text: &'t str,
    /// Place of `text`.
    at: usize,
}

impl Secret<'_> {
    /// Returns what is to be masked in the text that it was found in: all after the keyword, up to the secret's end.
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

    /// Returns the name of its kind, without the article: `GitHub token`.
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

/// Number of bytes after a keyword that are looked at. Of forms without an end, this much is enough.
const LONGEST: usize = 1024;

/// Returns the secrets in a text, in their order. The time is linear in the length of the text.
pub fn secrets(text: &str) -> Vec<Secret<'_>> {
    let bytes = text.as_bytes();
    // Nearly always no keyword is there, and nothing is compiled.
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
    /// End of the last text of this form: what begins in there is a part of it.
    end: usize,
}

impl Search {
    fn new(rule: &'static Rule) -> Self {
        let regex = Regex::new(&format!("^(?:{})", rule.rest)).expect("a test compiles each");
        Self { rule, regex, end: 0 }
    }

    /// The secret whose keyword is at a place, if it is one. Places come in their order.
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
        /// Random text has more, also where it is 16 characters of 32.
        const LEAST_ENTROPY: f64 = 3.0;
        // Before a private key's own text there are names of files, and comments.
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

/// The line that a search has come to, counted on from the one before.
#[derive(Default)]
struct Line {
    number: usize,
    /// Beginning of the next one.
    end: usize,
    is_allowed: bool,
}

impl Line {
    /// Goes on to the line of a place.
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

/// At most so many bytes of a text.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The three bytes that each keyword begins with, as a number.
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

/// These numbers, a bit for each, which it shares with some others.
///
/// To ask the text for each keyword takes four times as long.
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

/// Returns `true` if a word may begin after this text: also after the letter of an option (`-pTOKEN`), and after a sign as source
/// code (`\n`, `\x3d`, `\u0022`) or an address (`%3D`) writes it.
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

/// Returns `true` for a line with a comment that it holds no secret, as scanners of repositories read it.
fn is_allowed(line: &str) -> bool {
    line.contains("gitleaks:allow") || line.contains("pragma: allowlist secret")
}

/// Texts in the place of a secret.
///
/// The emulator of Azure Storage has the first one as its key everywhere.
const PLACEHOLDERS: &str =
    "eby8vdm02xnocq example placeholder changeme redacted dummy deadbeef 12345678 abcdefgh xxxxx";

/// Returns `true` if a program has made it, and not a person who needed something of this length: it has so many bits a character,
/// and is not a placeholder.
pub(crate) fn is_random(secret: &str, least_entropy: f64) -> bool {
    let lowercase = secret.to_ascii_lowercase();
    entropy(secret.as_bytes()) >= least_entropy && !PLACEHOLDERS.split(' ').any(|text| lowercase.contains(text))
}

/// Shannon's, in bits a byte.
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
