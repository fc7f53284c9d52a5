//! Features of the client that a hook needs.

use std::path::Path;

use hookkit_protocol::event::{Event, event};
use hookkit_protocol::settings::{UNKNOWN_EVENTS_SINCE, handler_type, since};
use semver::Version;
use serde_json::Value;

use crate::cargo::min_client::{ASSUMED, MinClient};

/// A feature that a hook needs but a client lacks.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Missing {
    /// The feature, as in "does not support the event Stop".
    pub(crate) what: String,
    /// The behavior of a client without the feature, as a sentence.
    pub(crate) does: &'static str,
    /// The first version with the feature.
    pub(crate) since: &'static str,
    /// `true` if the client does not read a settings file that uses the feature.
    pub(crate) drops_file: bool,
}

/// The behavior of a client that does not read a settings file.
const DROPS: &str = "it ignores the whole settings file, with its permissions and all hooks";

/// The behavior of a client that ignores an event.
const IGNORES: &str = "it ignores the entry, with a dialog at each start";

/// Returns the reason why `install` writes no entry for an event, and the change that would help: a client that reads
/// the settings may not support the event. `least` is the workspace's `min-client`.
pub(crate) fn left_out(
    event: &Event,
    client: Option<&Version>,
    least: Option<&MinClient>,
    is_for_others: bool,
) -> Option<String> {
    let since = MinClient::parse(event.since)?;
    let raise = format!("`min-client = \"{since}\"` in [workspace.metadata.hookkit]");
    match (least, client) {
        (Some(least), _) if *least < since => Some(format!("`min-client` is {least}; to change that: {raise}")),
        (Some(_), _) if is_for_others => None,
        (None, _) if is_for_others && MinClient::parse(ASSUMED).as_ref() < Some(&since) => Some(format!(
            "others share these settings, and older clients would show a dialog at each start; once all have {since} \
             or later, set {raise}"
        )),
        (_, Some(client)) if since.is_above(client) => Some(format!("the installed one is {client}: claude update")),
        _ => None,
    }
}

/// Returns the features that a hook needs but a client lacks.
///
/// `project` is the project's root, which is part of the paths in the settings.
pub(crate) fn missing(client: &Version, name: &str, handler: &Value, project: Option<&Path>) -> Vec<Missing> {
    let is_missing = |first: &str| Version::parse(first).is_ok_and(|first| *client < first);
    let mut missing = Vec::new();
    let mut lacks = |what, does, since, drops_file| {
        missing.push(Missing { what, does, since, drops_file });
    };
    if let Some(event) = event(name).filter(|event| is_missing(event.since)) {
        let drops_file = is_missing(UNKNOWN_EVENTS_SINCE);
        let does = if drops_file { DROPS } else { IGNORES };
        lacks(format!("the event {}", event.name), does, event.since, drops_file);
    }
    let kind = handler["type"].as_str().unwrap_or_default();
    let known = handler_type(kind).filter(|known| is_missing(known.since));
    if let Some(known) = known {
        lacks(format!("hooks of type `{kind}`"), DROPS, known.since, true);
        return missing;
    }
    for key in handler.as_object().into_iter().flatten().map(|(key, _)| key) {
        let Some(since) = since(kind, key).filter(|first| is_missing(first)) else {
            continue;
        };
        let does = match &**key {
            "args" if handler["args"] != Value::Array(Vec::new()) => "it runs `command` in a shell, without `args`",
            "args" if is_one_word(&handler["command"], project) => continue,
            "args" => "it runs `command` in a shell, which splits the path, so the hook does not start",
            "if" => "it runs the hook on every call that the matcher matches",
            "onFailure" => "it goes ahead when the hook cannot be started or fails",
            "async" | "asyncRewake" => "it waits for the hook",
            "once" => "it runs the hook each time",
            "statusMessage" | "rewakeMessage" | "rewakeSummary" => "it shows a text of its own",
            _ => "it ignores the key",
        };
        lacks(format!("`{key}`"), does, since, false);
    }
    missing
}

/// Returns `true` if the client starts the same program with and without a shell, because the command is one word and
/// the path has no special characters.
fn is_one_word(command: &Value, project: Option<&Path>) -> bool {
    let command = command.as_str().unwrap_or_default();
    let within = command.strip_prefix("${CLAUDE_PROJECT_DIR}");
    let root = within.and(project).and_then(Path::to_str).unwrap_or_default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_.,:+@%-".contains(&byte) || !byte.is_ascii();
    [within.unwrap_or(command), root].iter().all(|part| part.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(client: &str, event: &str, handler: &Value, project: &str) -> Vec<(String, &'static str)> {
        let client = Version::parse(client).expect("a version");
        let missing = missing(&client, event, handler, Some(Path::new(project)));
        missing.into_iter().map(|missing| (missing.what, missing.does)).collect()
    }

    #[test]
    fn args_are_missed_only_if_a_shell_reads_the_command_in_another_way() {
        let of = |command: &str, args: &[&str], project: &str| {
            let handler = json!({"type": "command", "command": command, "args": args});
            found("2.1.0", "PreToolUse", &handler, project)
        };
        assert_eq!(of("${CLAUDE_PROJECT_DIR}/.claude/hookkit/x/bin/y", &[], "/home/me/app"), []);
        assert_eq!(of("/home/me/.claude/hookkit/x@local/bin/y", &[], "/home/me/my app"), []);
        let splits = "it runs `command` in a shell, which splits the path, so the hook does not start";
        let args = "`args`".to_owned();
        for (command, project) in [
            ("${CLAUDE_PROJECT_DIR}/.claude/hookkit/x/bin/y", "/home/me/my app"),
            ("/home/my name/.claude/hookkit/x/bin/y", "/home/me/app"),
            ("/home/me/$x/bin/y", "/home/me/app"),
            ("/home/me/~/y'", "/home/me/app"),
        ] {
            assert_eq!(of(command, &[], project), [(args.clone(), splits)], "{command}");
        }
        let without = "it runs `command` in a shell, without `args`";
        assert_eq!(of("/bin/y", &["a"], "/home/me/app"), [(args, without)]);
    }

    #[test]
    fn a_client_drops_a_file_with_an_event_that_it_lacks_or_ignores_the_entry() {
        let handler = json!({"type": "command", "command": "x"});
        for (client, does) in [("2.0.30", Some(DROPS)), ("2.1.331", Some(IGNORES)), ("2.1.332", None)] {
            let found = found(client, "PreSkillShellCommand", &handler, "/app");
            assert_eq!(found.first().map(|(_, does)| *does), does, "{client}");
        }
    }

    #[test]
    fn an_entry_is_left_out_if_a_client_of_its_readers_may_not_know_the_event() {
        test_support::lines!("lines/left-out.txt").check(|_, line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [event, client, least, whose] = words[..] else {
                return line.to_owned();
            };
            let client = Version::parse(client).ok();
            let event = super::event(event).expect("an event");
            let why = left_out(event, client.as_ref(), MinClient::parse(least).as_ref(), whose == "shared");
            let why = why.unwrap_or_default();
            why.split(';').next().unwrap_or_default().to_owned()
        });
    }

    #[test]
    fn a_client_ignores_a_file_with_a_handler_type_that_it_lacks() {
        let handler = json!({"type": "http", "url": "http://127.0.0.1:1", "onFailure": "block"});
        let whats = |client| -> Vec<String> {
            found(client, "Stop", &handler, "/app").into_iter().map(|(what, _)| what).collect()
        };
        assert_eq!(whats("2.1.47"), ["hooks of type `http`"]);
        assert_eq!(whats("2.1.48"), ["`onFailure`"]);
    }
}
