//! Plain words: text that we write has the field's terms, and doc comments begin with a verb or a noun.
//!
//! Strings of code count, too: they are messages. Identifiers count by their words, so test names are covered.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use hookkit_tests::xtask::repository;

/// Words and phrases that a reader would have to translate, each with its replacement.
const WORDS: &[(&str, &str)] = &[
    ("analyse", "analyze"),
    ("analysed", "analyzed"),
    ("all the same", "anyway, nevertheless"),
    ("another one now", "changed, differs"),
    ("are no", "are not, have no"),
    ("becomes of", "the outcome"),
    ("belongs into", "commit it, is in"),
    ("beside", "next to, besides, in addition to"),
    ("by hand", "manually, or drop it"),
    ("can be refused", "can be denied"),
    ("conflict marks", "conflict markers"),
    ("deaf", "ignores"),
    ("fate", "outcome"),
    ("goes on as if", "no effect, the default applies"),
    ("heed", "honor"),
    ("heeded", "honored"),
    ("heeds", "honors"),
    ("in force", "active"),
    ("is no", "is not a, has no, there is no"),
    ("last words", "termination"),
    ("legible", "escaped for display"),
    ("legibly", "readably"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("muted", "instrumented"),
    ("nobody", "the user, the model, the author, the caller"),
    ("otherwise by now", "changed, differs"),
    ("put before the user", "the user is asked"),
    ("reads nothing of", "ignores"),
    ("says of", "reports, prints"),
    ("so no longer", "say the thing"),
    ("somebody", "the user, the model, the author, the caller"),
    ("stand", "is, means"),
    ("standing", "entry"),
    ("stands", "is, means"),
    ("take down", "log, record"),
    ("take it out", "remove it"),
    ("take its hooks", "add it, remove its hooks"),
    ("take them out", "remove them"),
    ("takes down", "logs, records"),
    ("takes its course", "goes ahead"),
    ("tells", "reports, prints"),
    ("their kin", "the others"),
    ("told", "reported, printed"),
    ("was no", "was not a, had no"),
    ("were no", "were not, had no"),
    ("which of both", "name the two"),
    ("who wants", "name the reader"),
    ("whoever", "name the reader"),
];

/// What makes one of the phrases above an ordinary one: the words before it, and after it.
const ORDINARY: &[(&str, &str)] = &[
    ("there", ""),
    ("here", ""),
    ("", "longer"),
    ("", "more than"),
    ("", "less than"),
];

/// Quotations, names and terms of others, each in one file.
const QUOTED: &[(&str, &str)] = &[
    ("hooks/guard/src/destructive/session.rs", "\"MEND\""),
    ("hooks/guard/tests/protected.rs", " nobody @/"),
];

/// Files and folders whose text is not ours, or whose subject is the words themselves.
const FOREIGN: &[&str] = &[
    ".git", "docs/book/src/pictures", "target", "tests/fixtures/payloads", "tests/fixtures/transcripts",
    "tests/observed", "tests/tests/fast/words.rs",
];

/// The kinds of files that hold text of ours.
const ENDINGS: [&str; 8] = ["json", "md", "rs", "sh", "stderr", "toml", "txt", "yml"];

/// The words with which a doc comment does not begin.
const OPENINGS: [&str; 6] = ["How", "What", "Where", "Whether", "Which", "Who"];

/// Calls `check` with each file of ours, by its path from the root.
fn each_file(folder: &Path, check: &mut impl FnMut(&str, &str)) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.strip_prefix(repository())?.to_str().context("a path in UTF-8")?;
        if FOREIGN.contains(&name) || name.ends_with("/target") {
            continue;
        }
        if path.is_dir() {
            each_file(&path, check)?;
        } else if path
            .extension()
            .is_some_and(|ending| ENDINGS.iter().any(|known| *known == ending))
        {
            check(name, &String::from_utf8_lossy(&fs::read(&path)?));
        }
    }
    Ok(())
}

/// Returns the words of a line in lower case, with a blank before and after each.
fn spaced(line: &str) -> String {
    let words = line.split(|char: char| !char.is_alphanumeric() && char != '\'');
    words
        .filter(|word| !word.is_empty())
        .fold(" ".to_owned(), |line, word| line + &word.to_lowercase() + " ")
}

/// Returns the first word or phrase of the list that a line has.
fn private(line: &str) -> Option<&'static (&'static str, &'static str)> {
    let line = spaced(line);
    let is_ordinary = |at: usize, phrase: &str| {
        let (before, after) = (&line[..at], &line[at + phrase.len() + 2..]);
        let mut ordinary = ORDINARY.iter();
        phrase.ends_with(" no") && ordinary.any(|(left, right)| before.ends_with(left) && after.starts_with(right))
    };
    WORDS
        .iter()
        .filter(|(phrase, _)| line.contains(phrase))
        .find(|(phrase, _)| {
            let searched = format!(" {phrase} ");
            line.match_indices(&searched).any(|(at, _)| !is_ordinary(at, phrase))
        })
}

/// Returns the doc comment of a line, without its slashes.
fn documentation(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"))
        .map(str::trim)
}

#[test]
fn words_are_the_fields_own() -> Result<()> {
    let mut found = Vec::new();
    each_file(repository(), &mut |name, text| {
        for (number, line) in text.lines().enumerate() {
            let is_quoted = QUOTED
                .iter()
                .any(|(file, quoted)| *file == name && line.contains(quoted));
            if let Some((phrase, instead)) = private(line).filter(|_| !is_quoted) {
                found.push(format!(
                    "{name}:{}: `{phrase}` ({instead}): {}",
                    number + 1,
                    line.trim()
                ));
            }
        }
    })?;
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
    Ok(())
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() -> Result<()> {
    let mut found = Vec::new();
    each_file(repository(), &mut |name, text| {
        let mut is_begun = false;
        for (number, line) in text.lines().enumerate() {
            let doc = documentation(line);
            let first = doc.and_then(|doc| doc.split([' ', ',']).next()).unwrap_or_default();
            if !is_begun && OPENINGS.contains(&first) {
                found.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
            is_begun = doc.is_some_and(|doc| !doc.is_empty());
        }
    })?;
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
    Ok(())
}

#[test]
fn a_phrase_is_found_by_whole_words() {
    let found = |line: &str| private(line).map(|(phrase, _)| *phrase);
    assert_eq!(found("this is no JSON"), Some("is no"));
    assert_eq!(found("fn a_hook_that_is_told()"), Some("told"));
    assert_eq!(found("Nobody reads it"), Some("nobody"));
    for line in [
        "there is no JSON", "it is no longer there", "no standard", "besides", "amend", "sent by handler",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}
