//! The words of a `git` command.

use super::table::{begins, ends, lists};
use super::text::up_to;
use crate::{Command, Word};

/// Options with a value before the subcommand.
const VALUED: &str = "-C -c --git-dir --work-tree --namespace --exec-path --config-env --attr-source";

/// A parsed `git` command.
#[derive(Debug)]
#[non_exhaustive]
pub struct Git<'a> {
    /// The settings of `-c`, `--config-env` and variables, as `name=value`. An unknown value is `?`.
    pub settings: Vec<String>,
    /// `true` if there are further settings with unknown names: `GIT_CONFIG_PARAMETERS`.
    pub has_unknown_settings: bool,
    /// `true` if the command works on a work tree other than the folder's.
    pub is_elsewhere: bool,
    /// The words before the subcommand.
    pub options: &'a [Word],
    /// The subcommand, and the words after it.
    pub words: &'a [Word],
}

impl<'a> Git<'a> {
    /// Parses a command; `None` for another program.
    pub fn of(command: &'a Command) -> Option<Self> {
        // `hub` passes other commands to git.
        if !matches!(command.program()?, "git" | "git.exe" | "hub") {
            return None;
        }
        let words = command.arguments();
        let mut settings: Vec<String> = settings_of_variables(command).collect();
        let mut is_elsewhere =
            command.assignments.iter().any(|variable| lists("GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE", &variable.name));
        let mut index = 0;
        // For an option with its value, the beginning is enough.
        let option = |word: &'a Word| {
            let start = word.known_start();
            let is_whole = word.literal().is_some() || start.starts_with("--") && start.contains('=');
            (is_whole && start.starts_with('-')).then_some(start)
        };
        let by_variable = |setting: &str| format!("{}=?", up_to(setting, '='));
        while let Some(text) = words.get(index).and_then(option) {
            index += 1;
            is_elsewhere |= begins("-C --git-dir --work-tree", text);
            // The value may be in the option's own word.
            let own = text.strip_prefix("-c").filter(|setting| setting.contains('='));
            settings.extend(own.map(str::to_owned));
            settings.extend(text.strip_prefix("--config-env=").map(by_variable));
            if lists(VALUED, text) {
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
        let (options, words) = words.split_at_checked(index).unwrap_or((words, &[]));
        Some(Self {
            settings,
            has_unknown_settings: variables.any(|variable| variable.name == "GIT_CONFIG_PARAMETERS"),
            is_elsewhere,
            options,
            words,
        })
    }
}

fn settings_of_variables(command: &Command) -> impl Iterator<Item = String> {
    let variables = &command.assignments;
    variables.iter().filter_map(move |variable| {
        let number = variable.name.strip_prefix("GIT_CONFIG_KEY_")?;
        let of_value = format!("GIT_CONFIG_VALUE_{number}");
        let value =
            variables.iter().find(|variable| variable.name == of_value).map(|variable| variable.value.to_string());
        Some(format!("{}={}", variable.value, value.as_deref().unwrap_or("?")))
    })
}

/// Returns `true` if git runs the value of a setting, from the setting's name and value.
pub(crate) fn runs_setting(name: &str, value: &str) -> bool {
    const NAMES: &str = "core.askpass core.editor core.fsmonitor core.gitproxy core.pager core.sshcommand diff.external \
        gpg.program interactive.difffilter sequence.editor uploadpack.packobjectshook";
    const ENDS: &str = ".clean .cmd .command .driver .process .program .receivepack .smudge .textconv .uploadpack";
    let name = name.to_ascii_lowercase();
    value.starts_with('!') || lists(NAMES, &name) || name.starts_with("pager.") || ends(ENDS, &name)
}
