//! Compares hookkit with serde_json on the same random documents.

use std::io::Read;

use serde_json::Value;

use super::tests::ours;
use super::{Index, Members, PayloadProjection, Projection, Scanner, Stream};
use crate::soak;

/// A random generator that makes the same choices in every run.
struct Random {
    choices: fastrand::Rng,
    /// `true` if a key can occur twice in an object. The first value is then not read, and its errors are not found.
    repeats_keys: bool,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { choices: fastrand::Rng::with_seed(seed), repeats_keys: true }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.choices.usize(..limit)
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// Returns a document, mostly compact as the client writes it.
    fn value(&mut self, depth: usize) -> String {
        let space = if self.below(8) == 0 { self.one_of(&[" ", "\n\t", "\r\n  "]) } else { "" };
        let text = match self.below(if depth == 0 { 4 } else { 7 }) {
            0 => self.one_of(&["null", "true", "false"]).to_owned(),
            1 => self.number(),
            2 | 3 => self.string(),
            4 => self.items(depth, '[', ']', |_| String::new()),
            _ => self.items(depth, '{', '}', |random| random.key() + ":"),
        };
        format!("{space}{text}{space}")
    }

    fn items(&mut self, depth: usize, open: char, close: char, prefix: fn(&mut Self) -> String) -> String {
        let items: Vec<String> = (0..self.below(5)).map(|_| prefix(self) + &self.value(depth - 1)).collect();
        format!("{open}{}{close}", items.join(","))
    }

    fn number(&mut self) -> String {
        let sign = self.one_of(&["", "-"]);
        let number = self.choices.u64(..) >> self.below(64);
        if number == 0 {
            return format!("{sign}0");
        }
        let rest = self.one_of(&["", "", ".5", "e3", "E-2", ".25e+1", "0000000000"]);
        format!("{sign}{number}{rest}")
    }

    fn key(&mut self) -> String {
        let key =
            self.one_of(&["a", "b", "path", "content", "tool_input", "\\u0061", "long key with blanks in it", ""]);
        let number = if self.repeats_keys { String::new() } else { self.choices.u64(..).to_string() };
        format!("\"{key}{number}\"")
    }

    fn string(&mut self) -> String {
        // Most are short; some span several blocks.
        let pieces = if self.below(6) == 0 { self.below(60) } else { self.below(6) };
        let mut text = String::from("\"");
        for _ in 0..pieces {
            text += self.one_of(&[
                "a",
                "some plain text ",
                "\\n",
                "\\\"",
                "\\\\",
                "\\/",
                "\\t\\b\\f\\r",
                "\\u00e9",
                "\\ud83d\\ude00",
                "é",
                "😀",
                "{[",
                "]}",
                "\u{7f}",
                ",:",
                "0123456789abcdef0123456789abcdef0123456789abcdef",
            ]);
        }
        text + "\""
    }

    /// Damages a document, as a broken client could.
    fn mutate(&mut self, document: &mut Vec<u8>) {
        let at = self.below(document.len().max(1));
        match self.below(4) {
            0 => document.truncate(at),
            1 if at < document.len() => {
                document.remove(at);
            }
            2 if at < document.len() => document[at] = self.choices.u8(..),
            _ => {
                let bytes = b"\"\\{}[],:0-.eu\n\x00\xff";
                document.insert(at.min(document.len()), bytes[self.below(bytes.len())]);
            }
        }
    }
}

/// A reader that returns a text in pieces of odd sizes.
struct Pieces<'t> {
    text: &'t [u8],
    random: Random,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = if self.random.below(4) == 0 { 200 } else { 7 };
        let length = (1 + self.random.below(most)).min(self.text.len()).min(buffer.len());
        let (piece, rest) = self.text.split_at(length);
        buffer[..length].copy_from_slice(piece);
        self.text = rest;
        Ok(length)
    }
}

/// Reads a document in pieces. Returns the text that is kept, and the value of a type that reads everything.
fn sifted(document: &[u8], projection: &PayloadProjection, seed: u64) -> Result<(Vec<u8>, Value), super::Error> {
    let pieces = Pieces { text: document, random: Random::new(seed) };
    let mut scanner = Scanner::new(Stream::new(&mut [], pieces));
    let mut index = Index::start(&mut scanner)?;
    while index.next(&mut scanner, projection)? {}
    let text = scanner.scanned().to_vec();
    let value = Members::new(&text, &index).decode()?;
    Ok((text, value))
}

#[test]
fn valid_documents_have_the_same_values() {
    let mut random = Random::new(1);
    for _ in soak::rounds(1_000, 10_000) {
        let document = random.value(5);
        let theirs: Value = serde_json::from_str(&document).unwrap_or_else(|err| panic!("{err}: {document}"));
        assert_eq!(ours(document.as_bytes()).unwrap(), theirs, "{document}");
    }
}

#[test]
fn documents_that_serde_json_rejects_are_rejected() {
    let mut random = Random::new(2);
    random.repeats_keys = false;
    let mut accepted = 0;
    for _ in soak::rounds(4_000, 40_000) {
        let mut document = random.value(4).into_bytes();
        for _ in 0..=random.below(2) {
            random.mutate(&mut document);
        }
        let Ok(value) = ours(&document) else { continue };
        let shown = String::from_utf8_lossy(&document).into_owned();
        match serde_json::from_slice::<Value>(&document) {
            Ok(theirs) => assert_eq!(value, theirs, "{shown}"),
            // hookkit accepts lone surrogates, on purpose.
            Err(err) => {
                let err = err.to_string();
                assert!(err.contains("surrogate") || err.contains("hex escape"), "{err}: {shown}");
            }
        }
        accepted += 1;
    }
    assert!(accepted > soak::size(100, 1_000), "only {accepted} mutated documents were valid");
}

#[test]
fn sifting_in_pieces_keeps_the_requested_members() {
    let mut projection = PayloadProjection::nothing();
    projection.add(Projection::Members(&["b"]));
    projection.add_member("tool_input", Projection::Members(&["path"]));
    let mut random = Random::new(3);
    for seed in soak::rounds(1_000, 10_000) {
        let mut document = format!(
            "{{\"a\":{},\"tool_input\":{{\"path\":{},\"content\":{}}},\"b\":{}}}",
            random.value(3),
            random.value(2),
            random.string(),
            random.value(3)
        )
        .into_bytes();
        let whole: Value = serde_json::from_slice(&document).unwrap();
        let (text, value) = sifted(&document, &PayloadProjection::ALL, seed).unwrap();
        assert_eq!((text, &value), (document.clone(), &whole));

        let (text, kept) = sifted(&document, &projection, seed).unwrap();
        let shown = String::from_utf8_lossy(&document).into_owned();
        assert_eq!(ours(&text).unwrap(), kept, "{shown}");
        assert_eq!(kept["b"], whole["b"], "{shown}");
        assert_eq!(kept["tool_input"]["path"], whole["tool_input"]["path"], "{shown}");

        // A document that is cut off anywhere is an error.
        document.truncate(random.below(document.len()));
        assert!(sifted(&document, &projection, seed).is_err(), "{}", String::from_utf8_lossy(&document));
    }
}

#[test]
fn unrequested_text_is_not_kept() {
    let content = "0123456789\\n".repeat(200_000);
    let document =
        format!("{{\"tool_input\":{{\"content\":\"{content}\",\"path\":\"p\"}},\"response\":[\"{content}\"]}}");
    let mut projection = PayloadProjection::nothing();
    projection.add_member("tool_input", Projection::Members(&["path"]));
    let (text, kept) = sifted(document.as_bytes(), &projection, 4).unwrap();
    assert!(text.len() < 1000, "{} bytes were kept", text.len());
    assert_eq!(kept["tool_input"]["path"], "p");
}
