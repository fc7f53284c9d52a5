//! The agents of `--agent`, and the commands in their files of hooks.

use std::path::Path;

use hookkit_protocol::agents::{AGENTS, Agent};

use crate::cargo::program::found;
use crate::terminal::{listed, meant};

/// End of the command for a hook that denies when it fails. Without it, an agent would go ahead if the program is
/// missing. Agents obey exit code 2, and show the shell's message as the reason.
pub(crate) const OR_DENY: &str = " || exit 2";

/// End of the command for a hook that denies when it fails, in an agent that does not obey exit code 2: an answer that
/// blocks.
pub(crate) const OR_BLOCK: &str = r#" || echo '{"decision":"block","reason":"a hook of hookkit failed"}'"#;

/// End of the command for a hook that never denies when it fails. Without it, an agent may deny if the program is
/// missing, or because of any exit code.
pub(crate) const OR_GO_AHEAD: &str = " || true";

/// End of the command for a hook that never denies when it fails, in an agent in which exit code 2 is the hook's denial:
/// every other exit code goes ahead.
pub(crate) const OR_GO_AHEAD_UNLESS_DENIED: &str = " || [ $? -ne 2 ] || exit 2";

/// The agents that the option `--agent` selects.
#[derive(Clone)]
pub(crate) struct Agents(pub(crate) Vec<&'static Agent>);

/// Word for all agents that are in PATH and keep their hooks in the project.
const DETECTED: &str = "detected";

/// Parses agents from the command line: `codex,copilot`.
pub(crate) fn named(ids: &str) -> Result<Agents, String> {
    if ids == DETECTED {
        let of_projects = || AGENTS.iter().copied().filter(|agent| agent.file.of_user.is_none());
        let found: Vec<_> = of_projects().filter(|agent| found(agent.program, Path::new("")).is_some()).collect();
        return match found[..] {
            [] => Err(format!("none of these is in PATH: {}", listed(of_projects().map(|agent| agent.program)))),
            _ => Ok(Agents(found)),
        };
    }
    let names = || AGENTS.iter().map(|agent| agent.id).chain([DETECTED]);
    let one = |id: &str| Agent::of_id(id).ok_or_else(|| format!("there is no such agent; {}", meant(id, names())));
    ids.split(',').map(one).collect::<Result<_, _>>().map(Agents)
}

/// Returns the name of an agent's folder in a project.
pub(crate) fn folder(agent: &Agent) -> &'static str {
    agent.file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the command that starts a program, for the agent's shell.
pub(crate) fn command(program: &str) -> String {
    format!("\"{program}\"")
}

/// Returns the program that a command starts, if it has the form of [`command`].
pub(crate) fn program(command: &str) -> Option<&str> {
    let mut ends = [OR_GO_AHEAD_UNLESS_DENIED, OR_DENY, OR_BLOCK, OR_GO_AHEAD].into_iter();
    let command = ends.find_map(|end| command.strip_suffix(end)).unwrap_or(command);
    command.strip_prefix('"')?.strip_suffix('"')
}
