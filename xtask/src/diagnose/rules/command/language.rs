//! Words in programming languages that the rules look for, from `language.txt`.

use std::sync::LazyLock;

use super::without_version;

/// Words in one language that the rules look for, from `language.txt`.
pub(super) struct Language(Vec<(&'static str, Vec<&'static str>)>);

pub(super) static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let rows = include_str!("language.txt").split("\n\n");
    let row = |line: &'static str| {
        let mut words = line.split('\t');
        Some((words.next().filter(|kind| !kind.starts_with('#'))?, words.collect()))
    };
    rows.map(|rows| Language(rows.lines().filter_map(row).collect())).collect()
});

impl Language {
    /// Returns the words of one kind.
    pub(super) fn of(&self, kind: &str) -> &[&'static str] {
        self.0.iter().find(|(of, _)| *of == kind).map_or(&[], |(_, words)| words)
    }

    /// Returns the language that a program reads, without its version.
    pub(super) fn read_by(program: &str) -> Option<&'static Self> {
        let plain = without_version(program);
        LANGUAGES.iter().find(|language| language.of("programs").contains(&plain))
    }
}

/// Returns the words of one kind that all languages share, in lowercase.
pub(super) fn shared(kind: &str) -> &'static [&'static str] {
    LANGUAGES.last().map_or(&[], |all| all.of(kind))
}

pub(super) fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns `true` if a condition or a message, in lowercase, is about a hook that cannot work.
pub(super) fn is_failure(text: &str) -> bool {
    has(text, shared("failures")) && !has(text, shared("blocks"))
}

/// Returns the statement in a line that exits the program with a code other than 0 or 2.
pub(super) fn exit(line: &str) -> Option<&str> {
    line.match_indices("xit").find_map(|(at, _)| {
        let is_part = |char: char| char.is_alphanumeric() || "._:".contains(char);
        let start = line[..at].trim_end_matches(is_part).len();
        let after = line[at + 3..].strip_prefix("Code =").unwrap_or(&line[at + 3..]);
        let after = after.strip_prefix('!').unwrap_or(after);
        let code = after.strip_prefix([' ', '('])?;
        let digits = code.len() - code.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let is_wrong = digits > 0 && !["0", "2"].contains(&&code[..digits]);
        let end = line.len() - code.len() + digits;
        is_wrong.then(|| &line[start..end + usize::from(line[end..].starts_with(')'))])
    })
}
