//! The words of a `git` command.

use hookkit::shell::{Assignment, Command, Word};

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

/// The settings that variables hold, each with its value where that is known. Of `GIT_CONFIG_PARAMETERS` none is.
pub(crate) fn settings_of_variables(assignments: &[Assignment]) -> impl Iterator<Item = String> {
    let value_of = |name: String| assignments.iter().find(|assignment| assignment.name == name);
    assignments.iter().filter_map(move |assignment| {
        if assignment.name == "GIT_CONFIG_PARAMETERS" {
            return Some("alias.*=!".to_owned());
        }
        let number = assignment.name.strip_prefix("GIT_CONFIG_KEY_")?;
        let value = value_of(format!("GIT_CONFIG_VALUE_{number}")).map(|assignment| assignment.value.to_string());
        Some(format!("{}={}", assignment.value, value.as_deref().unwrap_or("?")))
    })
}
