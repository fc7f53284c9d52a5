//! Commands that a workspace allows without a question.

use crate::prelude::*;

/// The configuration of [`deny_destruction`](super::deny_destruction).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedCommands {
    /// Commands to allow without a question, word by word:
    /// `allow = ["terraform apply -auto-approve", "kubectl delete pod *"]`. A `*` at the end matches any words. Denied commands
    /// stay denied.
    #[serde(deserialize_with = "commands")]
    pub allow: Vec<String>,
}

/// Reads the commands at `install`, and rejects any that would allow more, or less, than it seems to.
fn commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let commands = Vec::<String>::deserialize(deserializer)?;
    let unclear = commands.iter().find(|text| Entry::parse(text).is_none());
    match unclear {
        None => Ok(commands),
        Some(text) => Err(D::Error::custom(format_args!(
            "`{text}` must be one command in plain words; only the last word may be a `*`: \"kubectl delete pod *\""
        ))),
    }
}

/// Returns `true` for a redirection that writes no file.
fn is_harmless(redirection: &Redirection) -> bool {
    use RedirectionOperator::{DuplicateInput, DuplicateOutput, Input};
    matches!(redirection.operator, DuplicateInput | DuplicateOutput | Input) || redirection.target.is("/dev/null")
}

/// The allowed commands.
#[derive(Default)]
pub(super) struct Allowed(Vec<Entry>);

struct Entry {
    words: Vec<String>,
    /// `true` if more words may follow.
    is_open: bool,
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        let script = shell::analyze(text);
        let [command] = script.all_commands().ok()? else {
            return None;
        };
        let is_any =
            |word: &Word| matches!(&word.parts[..], [part] if part.is(ExpansionKind::Glob)) && word.span.len() == 1;
        let (last, before) = command.words.split_last()?;
        let is_open = !before.is_empty() && is_any(last) && text.trim_end().ends_with('*');
        let words = if is_open { before } else { &command.words };
        let words: Option<Vec<String>> = words.iter().map(|word| word.literal().map(str::to_owned)).collect();
        (command.assignments.is_empty() && command.redirections.is_empty()).then_some(Self { words: words?, is_open })
    }

    fn allows(&self, command: &Command) -> bool {
        let has_length = if self.is_open {
            command.words.len() >= self.words.len()
        } else {
            command.words.len() == self.words.len()
        };
        has_length && self.words.iter().zip(&command.words).all(|(allowed, word)| word.literal() == Some(allowed))
    }
}

impl Allowed {
    pub(super) fn of(config: &AllowedCommands) -> Self {
        Self(config.allow.iter().filter_map(|text| Entry::parse(text)).collect())
    }

    /// Returns `true` if a command is on the list and runs exactly as written there: in this shell, without writing a file.
    pub(super) fn has(&self, command: &Command) -> bool {
        let is_plain = command.redirections.iter().all(is_harmless)
            && command
                .via
                .iter()
                .all(|via| matches!(via, Via::Pipeline | Via::Subshell | Via::CommandSubstitution | Via::Loop));
        is_plain && self.0.iter().any(|entry| entry.allows(command))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::destructive::list::verdict;

    #[test]
    fn what_is_allowed_is_not_asked_about_and_what_is_denied_is_denied() {
        let config =
            json!({"allow": ["terraform apply -auto-approve", "kubectl delete pod *", "git push --force", "rm *"]});
        let config: AllowedCommands = serde_json::from_value(config).unwrap();
        let lines = test_support::lines!("lines/deny-destruction-allowed.txt");
        lines.check_section("commands", |line| verdict(line, "/code/project", &Allowed::of(&config)));
        lines.check_section("commands that are not one in plain words cannot be allowed", |text| {
            let error = serde_json::from_value::<AllowedCommands>(json!({"allow": [text]})).unwrap_err().to_string();
            assert!(error.contains("must be one command in plain words"), "{text}: {error}");
            "error".to_owned()
        });
    }
}
