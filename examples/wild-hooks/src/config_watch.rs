//! After karanb192/claude-code-hooks, `plugins/config-watch/config-watch.js`.

use hookkit::Timestamp;
use hookkit::log::Log;
use hookkit::prelude::*;

/// Logs that settings were changed during a session, and notifies the user; `CONFIG_WATCH_BLOCK=true` blocks the change.
///
/// The terminal shows the notification: Claude Code does not read messages on this event.
/// Changes of managed settings and of skills cannot be blocked.
#[hook(ConfigChange, on_failure = continue)]
pub fn config_watch(
    change: ConfigChange,
    context: Context,
    environment: Environment,
) -> Result<ConfigChangeAnswer, Error> {
    Log::in_project(&context, ".claude/config-changes.jsonl").append(&(Timestamp::now(), &change))?;
    let is_strict = environment
        .variable("CONFIG_WATCH_BLOCK")
        .is_some_and(|value| value == "true");
    Ok(watch(&change, is_strict))
}

fn watch(change: &ConfigChange, is_strict: bool) -> ConfigChangeAnswer {
    let file = change.file_path.clone().unwrap_or_default();
    let message = format!("settings changed ({}): {}", change.source, file.display());
    let answer = match is_strict {
        true => ConfigChangeAnswer::block(),
        false => ConfigChangeAnswer::pass(),
    };
    answer.with_terminal_sequence(TerminalSequence::notification(&message))
}

#[cfg(test)]
mod tests {
    use hookkit::event::ConfigSource;

    use super::*;

    #[test]
    fn a_change_is_shown_and_blocked_on_demand() {
        let mut change = ConfigChange::new(ConfigSource::ProjectSettings);
        change.file_path = Some("/project/.claude/settings.json".into());
        let shown =
            TerminalSequence::notification("settings changed (project_settings): /project/.claude/settings.json");
        let pass = ConfigChangeAnswer::pass().with_terminal_sequence(shown.clone());
        assert_eq!(watch(&change, false), pass);
        assert_eq!(
            watch(&change, true),
            ConfigChangeAnswer::block().with_terminal_sequence(shown)
        );
    }
}
