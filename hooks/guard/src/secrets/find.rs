//! Which secrets a text holds.

use std::fmt;

use regex_lite::Regex;

use super::rules::{RULES, Rule};

/// A secret in a text. It displays without itself: ``"line 3: a GitHub token (`ghp_…`)"``.
pub(super) struct Secret<'t> {
    rule: &'static Rule,
    line: usize,
    /// The secret, to compare.
    pub(super) text: &'t str,
}

impl fmt::Display for Secret<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { name, keyword, .. } = self.rule;
        write!(f, "line {}: {name} (`{}…`)", self.line, keyword.trim_end())
    }
}

/// The secrets that a text holds, in their order.
pub(super) fn secrets(text: &str) -> Vec<Secret<'_>> {
    let bytes = text.as_bytes();
    // Nearly always no keyword is there, and nothing is compiled.
    let mut regexes: Vec<(&str, Regex)> = Vec::new();
    let mut found = Vec::new();
    for (at, start) in bytes.windows(3).enumerate() {
        if !matches!(*start, [first, second, third] if STARTS.has(first, second, third)) {
            continue;
        }
        for rule in RULES
            .iter()
            .filter(|rule| bytes[at..].starts_with(rule.keyword.as_bytes()))
        {
            if rule.is_within || is_start_of_word(&text[..at]) {
                let known = regexes.iter().position(|(keyword, _)| *keyword == rule.keyword);
                let index = known.unwrap_or_else(|| {
                    regexes.push((rule.keyword, compiled(rule)));
                    regexes.len() - 1
                });
                found.extend(secret_at(text, at, rule, &regexes[index].1));
            }
        }
    }
    found
}

/// The secret whose keyword stands at a place, if it is one.
fn secret_at<'t>(text: &'t str, at: usize, rule: &'static Rule, regex: &Regex) -> Option<Secret<'t>> {
    let behind = &text[at + rule.keyword.len()..];
    let length = regex.find(behind)?.end();
    let (secret, next) = behind.split_at(length);
    let is_longer = next.starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_longer || !is_random(secret) || is_allowed(line_at(text, at)) {
        return None;
    }
    Some(Secret {
        rule,
        line: text[..at].matches('\n').count() + 1,
        text: &text[at..at + rule.keyword.len() + length],
    })
}

fn compiled(rule: &Rule) -> Regex {
    Regex::new(&format!("^(?:{})", rule.rest)).expect("a test compiles each")
}

/// The three bytes that keywords begin with, a bit for each, which it shares with some others.
///
/// To ask the text for each keyword takes four times as long.
struct Starts([u64; WORDS]);

const WORDS: usize = 1 << 10;

static STARTS: Starts = Starts::of(RULES);

impl Starts {
    const fn of(rules: &[Rule]) -> Self {
        let mut bits = [0; WORDS];
        let mut index = 0;
        while index < rules.len() {
            let keyword = rules[index].keyword.as_bytes();
            let (word, bit) = Self::place(keyword[0], keyword[1], keyword[2]);
            bits[word] |= bit;
            index += 1;
        }
        Self(bits)
    }

    const fn place(first: u8, second: u8, third: u8) -> (usize, u64) {
        let number = (first as usize * 131 + second as usize) * 131 + third as usize;
        (number / 64 % WORDS, 1 << (number % 64))
    }

    fn has(&self, first: u8, second: u8, third: u8) -> bool {
        let (word, bit) = Self::place(first, second, third);
        self.0[word] & bit != 0
    }
}

/// Whether a word may begin behind this text; a line end may be written as in a string of source code.
fn is_start_of_word(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_ascii_alphanumeric())
        || [r"\n", r"\r", r"\t"].iter().any(|end| before.ends_with(end))
}

fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

/// Whether somebody has said of a line that it holds no secret, as scanners of repositories read it.
fn is_allowed(line: &str) -> bool {
    line.contains("gitleaks:allow") || line.contains("pragma: allowlist secret")
}

/// What stands where a secret would.
const PLACEHOLDERS: [&str; 10] = [
    // The emulator of Azure Storage has the same key everywhere.
    "eby8vdm02xnocq",
    "example",
    "placeholder",
    "changeme",
    "redacted",
    "dummy",
    "deadbeef",
    "12345678",
    "abcdefgh",
    "xxxxx",
];

/// Whether a program has made it, and not a person who needed something of this length.
fn is_random(secret: &str) -> bool {
    /// In bits a character; what is random has more, also where it is 16 characters of 32.
    const LEAST_ENTROPY: f64 = 3.0;
    let lowercase = secret.to_ascii_lowercase();
    entropy(secret.as_bytes()) >= LEAST_ENTROPY && !PLACEHOLDERS.iter().any(|text| lowercase.contains(text))
}

/// Shannon's, in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let whole = bytes.len() as f64;
    let share = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / whole);
    share.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
pub(super) mod tests;
