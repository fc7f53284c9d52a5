//! Plain words: text that we write has the field's terms, and doc comments begin with a verb or a noun.
//!
//! Strings of code count, too: they are messages. Identifiers count by their words, so test names are covered.

use hookkit_tests::prelude::*;
use test_support::lines::Row;

/// Words and phrases that a reader would have to translate, each with its replacement.
fn words() -> Lines<'static> {
    lines!("lines/words.txt")
}

/// Words before one of the phrases above, and after it, that make it an ordinary one.
const BEFORE: [&str; 2] = ["there", "here"];
const AFTER: [&str; 3] = ["longer", "more than", "less than"];

/// Quotations, names and terms of others, each in one file.
const QUOTED: &[(&str, &str)] = &[
    ("hooks/guard/src/destructive/session.rs", "MBEGIN MEND"),
    ("hooks/guard/lines/protect-files-home.txt", " nobody @/"),
];

/// Files and folders whose text is not ours, or whose subject is the words themselves.
const FOREIGN: &[&str] = &[
    ".git", "docs/book/src/pictures", "target", "tests/fixtures/payloads", "tests/fixtures/transcripts",
    "tests/lines/words.txt", "tests/observed", "tests/tests/fast/words.rs",
];

/// The kinds of files that hold text of ours.
const ENDINGS: [&str; 8] = ["json", "md", "rs", "sh", "stderr", "toml", "txt", "yml"];

/// The words with which a doc comment does not begin.
const OPENINGS: [&str; 6] = ["How", "What", "Where", "Whether", "Which", "Who"];

/// Calls `check` with each file of ours, by its path from the root.
fn each_file(check: &mut impl FnMut(&str, &str)) -> Result<()> {
    let name = |path: &Path| path.strip_prefix(repository()).unwrap_or(path).to_string_lossy().into_owned();
    let is_foreign = |path: &Path| FOREIGN.contains(&&*name(path)) || path.ends_with("target");
    for path in files::below(repository(), &is_foreign)? {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ENDINGS.contains(&ending) && !is_foreign(&path) {
            check(&name(&path), &String::from_utf8_lossy(&fs::read(&path)?));
        }
    }
    Ok(())
}

/// Returns the words of a line in lower case, with a blank before and after each.
fn spaced(line: &str) -> String {
    let words = line.split(|char: char| !char.is_alphanumeric() && char != '\'');
    words.filter(|word| !word.is_empty()).fold(" ".to_owned(), |line, word| line + &word.to_lowercase() + " ")
}

/// Returns the first row of a word or phrase that a line has.
fn private<'w>(words: &'w Lines, line: &str) -> Option<&'w Row> {
    let line = spaced(line);
    let is_ordinary = |at: usize, phrase: &str| {
        let (before, after) = (&line[..at], &line[at + phrase.len() + 2..]);
        let is_before = BEFORE.iter().any(|word| before.ends_with(word));
        phrase.ends_with(" no") && (is_before || AFTER.iter().any(|words| after.starts_with(words)))
    };
    let mut rows = words.section("words").rows.iter().filter(|row| line.contains(&row.line));
    rows.find(|row| {
        let searched = format!(" {} ", row.line);
        line.match_indices(&searched).any(|(at, _)| !is_ordinary(at, &row.line))
    })
}

/// Returns the doc comment of a line, without its slashes.
fn documentation(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

#[test]
fn words_are_the_fields_own() -> Result<()> {
    let (words, mut found) = (words(), Vec::new());
    each_file(&mut |name, text| {
        for (number, line) in text.lines().enumerate() {
            let is_quoted = QUOTED.iter().any(|(file, quoted)| *file == name && line.contains(quoted));
            if let Some(row) = private(&words, line).filter(|_| !is_quoted) {
                let (phrase, [instead]) = (&row.line, row.fields());
                found.push(format!("{name}:{}: `{phrase}` ({instead}): {}", number + 1, line.trim()));
            }
        }
    })?;
    assert!(found.is_empty(), "{} lines:\n{}", found.len(), found.join("\n"));
    Ok(())
}

#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() -> Result<()> {
    let mut found = Vec::new();
    each_file(&mut |name, text| {
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
    let words = words();
    let found = |line: &str| private(&words, line).map(|row| &*row.line);
    assert_eq!(found("this is no JSON"), Some("is no"));
    assert_eq!(found("fn a_hook_that_is_told()"), Some("told"));
    assert_eq!(found("Nobody reads it"), Some("nobody"));
    for line in ["there is no JSON", "it is no longer there", "no standard", "besides", "amend", "sent by handler"] {
        assert_eq!(found(line), None, "{line}");
    }
}
