//! Agents started without the guards of this session.

use crate::effects::mentions::is_interpreter_name;
use crate::effects::programs::LAUNCHERS;
use crate::prelude::*;

/// Programs of agents, and packages that contain an agent.
const AGENTS: &str = "aider aider-chat amp claude claude-code cline codex copilot crush cursor-agent droid gemini gemini-cli goose \
    iflow kimi kimi-cli kiro-cli opencode qwen vibe";

/// Prefixes of options that give any agent all permissions, for programs without a row.
const OF_ANY: &str = "--allow-all --always-approve --dangerously --trust-all-tools --yes-always --yolo";

/// Words and prefixes of options that start an agent without settings, hooks or permissions, or with a plugin that may
/// skip hooks. Also commands that remove guards or add such a plugin.
const SWITCHES: &str = "--allow-dangerously|--auto-approve|--bare|--force|--full-auto|--managed-settings|\
    --permission-prompt-tool|--plugin-|--pure|--restricted|--safe-mode|--setting-sources|--settings|--skip-permissions|--skip-trust|\
    approval_policy|bypassPermissions|config add|config remove|config rm|config set|danger-full-access|exec --auto|mcp add|\
    plugin disable|plugin enable|plugin i|plugin install|plugin remove|plugin rm|plugin uninstall|yolo";

/// Variables that make an agent read other settings or plugins, or none.
const VARIABLES: &str = "CLAUDE_CODE_PLUGIN_DIRS CLAUDE_CODE_RESTRICTED CLAUDE_CODE_SAFE_MODE CLAUDE_CODE_SIMPLE \
    CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_ALLOW_ALL GOOSE_MODE HOME KIMI_CODE_HOME OPENCODE_PERMISSION \
    OPENCODE_PURE";

/// Describes how a line starts an agent without guards, or removes them through the client.
pub(super) fn unguarded(line: Line) -> Option<String> {
    // A value may hold the name, and a name may be in quotes.
    let mut words = line.script.commands().iter().flat_map(|command| &command.words);
    if !holds(AGENTS, line.text) && !holds(OF_ANY, line.text) && !words.any(|word| is_agent(word.known_start())) {
        return None;
    }
    let commands = line.commands();
    let started = |at: usize| starts(&commands[at]).map(|words| (at, words));
    let what = (0..commands.len()).filter_map(started).find_map(|(at, words)| {
        let command_of_client =
            words.iter().take(2).copied().collect::<Vec<_>>().join(" ").replace("plugins ", "plugin ");
        let switches = words.iter().copied().chain([&*command_of_client]);
        // An agent sees earlier assignments only if they are exported.
        let before = commands[..at].iter().filter(|command| command.words.is_empty() || command.is_named("export"));
        let mut set = before.chain([&commands[at]]).flat_map(assigned).map(|(name, _)| name);
        switches
            .into_iter()
            .find(|word| is_switch(word))
            .map(str::to_owned)
            .or_else(|| set.find(|name| lists(VARIABLES, name)).map(str::to_owned))
    })?;
    Some(format!("with `{what}`, an agent may run without the guards of this session"))
}

/// Returns the arguments of the agent that a command starts.
fn starts(command: &Command) -> Option<Vec<&str>> {
    let words = command.starts();
    let mut words: Vec<&str> = command.program().into_iter().chain(words).collect();
    let program = *words.first()?;
    let at = words.iter().position(|word| is_agent(word));
    let installs = words.iter().take(3).any(|word| lists("add i install", word));
    let at = at.filter(|_| !installs || !lists(LAUNCHERS, program));
    let at = at.filter(|at| *at == 0 || lists(LAUNCHERS, program) || is_interpreter_name(program));
    if at.is_none() {
        let is_known = Program::named(program).is_some() && !lists(LAUNCHERS, program) || installs;
        let mut options = words.into_iter().take_while(|word| *word != "--");
        return options.find(|word| !is_known && begins(OF_ANY, word)).map(|word| vec![word]);
    }
    at.map(|at| words.split_off(at + 1))
}

fn is_agent(word: &str) -> bool {
    let word = word.strip_suffix("/cli.js").unwrap_or(word);
    // A version may follow.
    lists(AGENTS, up_to(base(word), '@'))
}

fn is_switch(word: &str) -> bool {
    let is = |listed: &str| {
        // A setting may be in quotes, and within JSON.
        word.split(['=', '"']).any(|part| part == listed) || listed.starts_with("--") && word.starts_with(listed)
    };
    // Among an agent's letters, `-y` approves all questions.
    let letters = word.strip_prefix('-').unwrap_or_default();
    let is_letters = letters.len() < 4 && letters.bytes().all(|letter| letter.is_ascii_lowercase());
    begins(OF_ANY, word) || SWITCHES.split('|').any(is) || is_letters && letters.contains('y')
}
