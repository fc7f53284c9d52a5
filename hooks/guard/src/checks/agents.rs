//! Agents that are started without the guards of this session.

use hookkit::shell::{Command, Word};

use crate::effects::programs::LAUNCHERS;

/// Programs of agents, and packages that have them.
const AGENTS: &[&str] = &[
    "aider", "amp", "claude", "claude-code", "codex", "copilot", "crush", "cursor-agent", "droid", "gemini",
    "gemini-cli", "goose", "opencode", "qwen",
];

/// Beginnings of options, and words, with which an agent has no settings, no hooks or no permissions.
const SWITCHES: &[&str] = &[
    "--allow-all", "--allow-dangerously", "--bare", "--dangerously", "--force", "--full-auto", "--setting-sources",
    "--skip-permissions", "--yes-always", "--yolo", "-y", "bypassPermissions", "danger-full-access", "yolo",
];

/// Variables with which Claude Code reads other settings, or none.
const VARIABLES: &[&str] = &["CLAUDE_CODE_SIMPLE", "CLAUDE_CONFIG_DIR", "HOME"];

/// Describes how a command starts an agent without guards, or takes them away by the client itself.
pub(super) fn unguarded(command: &Command) -> Option<String> {
    let program = command.program()?;
    let mut words: Vec<&str> = command.arguments().iter().map(Word::known_start).collect();
    let is_agent = |name: &&str| AGENTS.contains(&name.rsplit('/').next().unwrap_or_default());
    if LAUNCHERS.contains(&program) {
        let at = words.iter().position(is_agent)?;
        words.drain(..=at);
    } else if !is_agent(&program) {
        return None;
    }
    let is_switch = |word: &&str| {
        let switches = || {
            word.split('=')
                .any(|part| SWITCHES.iter().any(|switch| is(part, switch)))
        };
        word.contains("disableAllHooks") || switches()
    };
    // A file can have anything.
    let by_file = || {
        let settings = words.iter().position(|word| word.starts_with("--settings"))?;
        let value = words[settings]
            .strip_prefix("--settings=")
            .or(words.get(settings + 1).copied());
        value.filter(|value| !value.starts_with('{'))
    };
    let by_command = || match words[..] {
        ["config", verb @ ("add" | "remove" | "rm" | "set"), ..]
        | [
            "plugin" | "plugins",
            verb @ ("disable" | "remove" | "rm" | "uninstall"),
            ..,
        ] => Some(verb),
        _ => None,
    };
    let mut assigned = command.assignments.iter().map(|assignment| &*assignment.name);
    let by_variable = || assigned.find(|name| VARIABLES.contains(name));
    let by_switch = words.iter().copied().find(is_switch);
    let what = by_switch.or_else(by_file).or_else(by_command).or_else(by_variable)?;
    Some(format!(
        "by `{what}` an agent may run without the guards of this session"
    ))
}

fn is(word: &str, switch: &str) -> bool {
    match switch.starts_with("--") {
        true => word.starts_with(switch),
        false => word == switch,
    }
}
