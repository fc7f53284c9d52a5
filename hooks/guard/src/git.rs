//! The words of a `git` command.

use hookkit::shell::{Command, Word};

/// Options before the subcommand that have a value.
const VALUED: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--attr-source",
];

/// A `git` command, taken apart.
pub(crate) struct Git<'a> {
    /// The settings of `-c`.
    pub(crate) settings: Vec<&'a str>,
    /// The subcommand, and what follows it.
    pub(crate) words: &'a [Word],
}

impl<'a> Git<'a> {
    pub(crate) fn of(command: &'a Command) -> Option<Self> {
        if !matches!(command.program()?, "git" | "git.exe") {
            return None;
        }
        let words = command.arguments();
        let mut settings = Vec::new();
        let mut index = 0;
        // Of an option with its value the beginning is enough.
        let option = |word: &'a Word| {
            let start = word.known_start();
            let is_whole = word.literal().is_some() || start.starts_with("--") && start.contains('=');
            (is_whole && start.starts_with('-')).then_some(start)
        };
        while let Some(text) = words.get(index).and_then(option) {
            index += 1;
            // The value in the option's own word.
            settings.extend(text.strip_prefix("-c").filter(|setting| setting.contains('=')));
            if VALUED.contains(&text) {
                if text == "-c" {
                    settings.extend(words.get(index).map(Word::known_start));
                }
                index += 1;
            }
        }
        let words = words.get(index..).unwrap_or_default();
        Some(Self { settings, words })
    }
}
