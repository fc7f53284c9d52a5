//! The entries of hooks in the file of another agent, and their commands.

use hookkit_protocol::agents::{AGENTS, Agent, Effect};
use hookkit_protocol::hook::{Mode, OnEvent, OnFailure};
use hookkit_protocol::matcher::Matcher;

use crate::binaries::definition::Definition;
use crate::terminal::meant;

/// Ends a command of a hook whose failure denies: an agent that goes ahead without the program obeys exit code 2, whose reason
/// is the shell's message.
const OR_DENY: &str = " || exit 2";

/// Returns the agent of a word on the command line.
pub(crate) fn named(id: &str) -> Result<&'static Agent, String> {
    let ids = AGENTS.iter().map(|agent| agent.id);
    Agent::of_id(id).ok_or_else(|| format!("there is no such agent; {}", meant(id, ids)))
}

/// Returns the name of an agent's folder in a project.
pub(crate) fn folder(agent: &Agent) -> &'static str {
    agent.file.project.split_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the folder of an agent as its commands name it.
pub(crate) fn folder_in_commands(agent: &Agent) -> String {
    format!("{}/{}", agent.file.root, folder(agent))
}

/// Returns the command that starts a program, for the agent's shell.
pub(crate) fn command(program: &str) -> String {
    format!("\"{program}\"")
}

/// Returns the program that a command starts, if it has the form of [`command`].
pub(crate) fn program(command: &str) -> Option<&str> {
    let command = command.strip_suffix(OR_DENY).unwrap_or(command);
    command.strip_prefix('"')?.strip_suffix('"')
}

/// An entry of an agent's file of hooks.
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    pub(crate) matcher: Option<String>,
    pub(crate) command: String,
    pub(crate) timeout: Option<u32>,
}

/// Returns the entries of a hook, which the command starts.
pub(crate) fn entries(agent: &'static Agent, hook: &Definition, command: &str) -> Vec<Entry> {
    let declared = &hook.declared;
    let goes_ahead = [agent.failures.missing, agent.failures.signal].contains(&Effect::GoesAhead);
    let denies = declared.on_failure != OnFailure::Continue && declared.mode == Mode::Awaited;
    let rest = if denies && goes_ahead { OR_DENY } else { "" };
    let is_lenient = u32::from(agent.failures.timeout == Effect::GoesAhead);
    let entry = |on: &OnEvent<String>| {
        let facts = on.facts();
        let matcher = |text: &String| match facts.map(|event| Matcher::new(text, event)) {
            // An agent may not read a comma as Claude Code does.
            Some(list @ Matcher::Names(_)) => list.names().collect::<Vec<_>>().join("|"),
            _ => text.clone(),
        };
        // The hook's own limit comes first, where an agent goes ahead without one that is late.
        let limit = declared
            .timeout
            .or(facts.map(|event| event.default_timeout.div_ceil(1000)));
        Some(Entry {
            event: agent.event(&on.event)?.own,
            matcher: on.matcher.as_ref().map(matcher),
            command: format!("{command}{rest}"),
            timeout: limit.map(|seconds| (seconds + is_lenient) * agent.file.units),
        })
    };
    hook.entries.iter().filter_map(entry).collect()
}
