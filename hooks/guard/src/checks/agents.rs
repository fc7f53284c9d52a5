//! Agents that are started without the guards of this session.

use hookkit::shell::programs::table::lists;
use hookkit::shell::{Command, Word};

use crate::effects::programs::LAUNCHERS;

/// Programs of agents, and packages that have them.
const AGENTS: &str =
    "aider amp claude claude-code codex copilot crush cursor-agent droid gemini gemini-cli goose opencode qwen";

/// Words with which an agent has no settings, no hooks or no permissions, the beginnings of such options, and commands that
/// take guards away.
const SWITCHES: &str = "--allow-all|--allow-dangerously|--bare|--dangerously|--force|--full-auto|--setting-sources|--settings|\
    --skip-permissions|--yes-always|--yolo|-y|bypassPermissions|config add|config remove|config rm|config set|\
    danger-full-access|plugin disable|plugin remove|plugin rm|plugin uninstall|yolo";

/// Variables with which Claude Code reads other settings, or none.
const VARIABLES: &str = "CLAUDE_CODE_SIMPLE CLAUDE_CONFIG_DIR HOME";

/// Describes how a command starts an agent without guards, or takes them away by the client itself.
pub(super) fn unguarded(command: &Command) -> Option<String> {
    let words = command.arguments().iter().map(Word::known_start);
    let words: Vec<&str> = command.program().into_iter().chain(words).collect();
    let is_agent = |word: &&str| lists(AGENTS, word.rsplit('/').next().unwrap_or_default());
    let at = words.iter().position(is_agent)?;
    if at > 0 && !lists(LAUNCHERS, words[0]) {
        return None;
    }
    let words = &words[at + 1..];
    let command_of_client = words.iter().take(2).copied().collect::<Vec<_>>().join(" ");
    let is_switch = |word: &&str| {
        let is = |listed: &str| {
            word.split('=').any(|part| part == listed) || listed.starts_with("--") && word.starts_with(listed)
        };
        SWITCHES.split('|').any(is)
    };
    let mut assigned = command.assignments.iter().map(|assignment| &*assignment.name);
    let mut words = words.iter().copied().chain([&*command_of_client]);
    let what = words
        .find(is_switch)
        .or_else(|| assigned.find(|name| lists(VARIABLES, name)))?;
    Some(format!(
        "by `{what}` an agent may run without the guards of this session"
    ))
}
