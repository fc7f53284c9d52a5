//! The words of a `git` command.

use hookkit::shell::{Assignment, Command, Word};

/// Options before the subcommand that have a value.
const VALUED: &[&str] = &[
    "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--attr-source",
];

/// A `git` command, taken apart.
pub(crate) struct Git<'a> {
    /// The settings of `-c`, `--config-env` and variables, as `name=value`. The value is `?` where it is not known.
    pub(crate) settings: Vec<String>,
    /// `true` if there are others, whose names are not known: `GIT_CONFIG_PARAMETERS`.
    pub(crate) has_unknown_settings: bool,
    /// `true` if it is about another work tree than that of the folder.
    pub(crate) is_elsewhere: bool,
    /// The subcommand, and what follows it.
    pub(crate) words: &'a [Word],
}

impl<'a> Git<'a> {
    pub(crate) fn of(command: &'a Command) -> Option<Self> {
        // `hub` gives git what it does not know itself.
        if !matches!(command.program()?, "git" | "git.exe" | "hub") {
            return None;
        }
        let words = command.arguments();
        let mut settings: Vec<String> = settings_of_variables(command).collect();
        let is_place =
            |variable: &Assignment| matches!(variable.name.as_str(), "GIT_DIR" | "GIT_INDEX_FILE" | "GIT_WORK_TREE");
        let mut is_elsewhere = command.assignments.iter().any(is_place);
        let mut index = 0;
        // Of an option with its value the beginning is enough.
        let option = |word: &'a Word| {
            let start = word.known_start();
            let is_whole = word.literal().is_some() || start.starts_with("--") && start.contains('=');
            (is_whole && start.starts_with('-')).then_some(start)
        };
        let by_variable = |setting: &str| format!("{}=?", setting.split('=').next().unwrap_or_default());
        while let Some(text) = words.get(index).and_then(option) {
            index += 1;
            is_elsewhere |= ["-C", "--git-dir", "--work-tree"]
                .iter()
                .any(|option| text.starts_with(option));
            // The value in the option's own word.
            let own = text.strip_prefix("-c").filter(|setting| setting.contains('='));
            settings.extend(own.map(str::to_owned));
            settings.extend(text.strip_prefix("--config-env=").map(by_variable));
            if VALUED.contains(&text) {
                let value = words.get(index).map(Word::known_start);
                match text {
                    "-c" => settings.extend(value.map(str::to_owned)),
                    "--config-env" => settings.extend(value.map(by_variable)),
                    _ => {}
                }
                index += 1;
            }
        }
        let mut variables = command.assignments.iter();
        Some(Self {
            settings,
            has_unknown_settings: variables.any(|variable| variable.name == "GIT_CONFIG_PARAMETERS"),
            is_elsewhere,
            words: words.get(index..).unwrap_or_default(),
        })
    }
}

fn settings_of_variables(command: &Command) -> impl Iterator<Item = String> {
    let variables = &command.assignments;
    variables.iter().filter_map(move |variable| {
        let number = variable.name.strip_prefix("GIT_CONFIG_KEY_")?;
        let of_value = format!("GIT_CONFIG_VALUE_{number}");
        let value = variables.iter().find(|variable| variable.name == of_value);
        let value = value.map(|variable| variable.value.to_string());
        Some(format!("{}={}", variable.value, value.as_deref().unwrap_or("?")))
    })
}

/// Leaves out the values of options. Behind `--` there are none.
pub(crate) fn without_values(words: &[Word], has_value: impl Fn(&Word) -> bool) -> impl Iterator<Item = &Word> {
    let mut are_options_over = false;
    let mut is_value = false;
    words.iter().filter(move |word| {
        let is_kept = !is_value;
        are_options_over |= is_kept && word.literal() == Some("--");
        is_value = is_kept && !are_options_over && has_value(word);
        is_kept
    })
}
