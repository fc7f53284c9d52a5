//! Agents that are started without the guards of this session.

use hookkit::shell::{Command, Word};

use crate::effects::programs::LAUNCHERS;

/// Programs of agents, and packages that have them.
const AGENTS: &str =
    "aider amp claude claude-code codex copilot crush cursor-agent droid gemini gemini-cli goose opencode qwen";

/// Words with which an agent has no settings, no hooks or no permissions, and the beginnings of such options.
const SWITCHES: &str = "--allow-all --allow-dangerously --bare --dangerously --force --full-auto --setting-sources --settings \
    --skip-permissions --yes-always --yolo -y bypassPermissions danger-full-access yolo";

/// Variables with which Claude Code reads other settings, or none.
const VARIABLES: &str = "CLAUDE_CODE_SIMPLE CLAUDE_CONFIG_DIR HOME";

/// Describes how a command starts an agent without guards, or takes them away by the client itself.
pub(super) fn unguarded(command: &Command) -> Option<String> {
    let words = command.arguments().iter().map(Word::known_start);
    let words: Vec<&str> = command.program().into_iter().chain(words).collect();
    let is_agent = |word: &&str| has(AGENTS, word.rsplit('/').next().unwrap_or_default());
    let at = words.iter().position(is_agent)?;
    if at > 0 && !LAUNCHERS.contains(&words[0]) {
        return None;
    }
    let words = &words[at + 1..];
    let by_command = match words {
        ["config", verb, ..] if has("add remove rm set", verb) => Some(*verb),
        ["plugin" | "plugins", verb, ..] if has("disable remove rm uninstall", verb) => Some(*verb),
        _ => None,
    };
    let is_switch = |(at, word): &(usize, &&str)| {
        // A file of settings can have anything.
        let is_harmless = |value: &str| value.starts_with('{') && !value.contains("disableAllHooks");
        let is_given = word.starts_with("--settings") && words.get(at + 1).is_some_and(|value| is_harmless(value));
        let is_one = |part: &str| {
            has(SWITCHES, part) || part.starts_with("--") && SWITCHES.split(' ').any(|it| part.starts_with(it))
        };
        !is_given && word.split('=').any(is_one)
    };
    let by_switch = || words.iter().enumerate().find(is_switch).map(|(_, word)| *word);
    let mut assigned = command.assignments.iter().map(|assignment| &*assignment.name);
    let what = by_command
        .or_else(by_switch)
        .or_else(|| assigned.find(|name| has(VARIABLES, name)))?;
    Some(format!(
        "by `{what}` an agent may run without the guards of this session"
    ))
}

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}
