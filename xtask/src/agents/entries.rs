//! Entries of hooks in another agent's file, and their commands.

use std::path::Path;

use hookkit_protocol::agents::{self, AGENTS, Agent, Effect, Form, Part, Said};
use hookkit_protocol::hook::{Mode, OnEvent, OnFailure};
use hookkit_protocol::lint::{own_expression, own_name};
use hookkit_protocol::matcher::Matcher;

use crate::binaries::definition::Definition;
use crate::cargo::program::found;
use crate::terminal::{listed, meant};

/// End of the command for a hook that denies when it fails. Without it, an agent would go ahead if the program is
/// missing. Agents obey exit code 2, and show the shell's message as the reason.
const OR_DENY: &str = " || exit 2";

/// The same for an agent that does not obey exit code 2: an answer that blocks.
const OR_BLOCK: &str = r#" || echo '{"decision":"block","reason":"a hook of hookkit failed"}'"#;

/// End of the command for a hook that never denies when it fails. Without it, an agent may deny if the program is
/// missing, or because of any exit code.
const OR_GO_AHEAD: &str = " || true";

/// The same for an agent in which exit code 2 is the hook's answer: a denial.
const OR_GO_AHEAD_UNLESS_DENIED: &str = " || [ $? -ne 2 ] || exit 2";

/// The agents that the option `--agent` selects.
#[derive(Clone)]
pub(crate) struct Agents(pub(crate) Vec<&'static Agent>);

/// Word for the agents whose programs are in PATH, and whose hooks are a project's.
const DETECTED: &str = "detected";

/// Parses agents from the command line: `codex,copilot`.
pub(crate) fn named(ids: &str) -> Result<Agents, String> {
    let all = AGENTS.iter().copied();
    if ids == DETECTED {
        let all = all.filter(|agent| agent.file.of_user.is_none());
        let found: Vec<_> = all.filter(|agent| found(agent.program, Path::new("")).is_some()).collect();
        return match found[..] {
            [] => Err(format!("none is in PATH: {}", listed(AGENTS.iter().map(|agent| agent.program)))),
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

/// Returns an agent's folder in the form that its commands use.
pub(crate) fn folder_in_commands(agent: &Agent) -> String {
    format!("{}/{}", agent.file.root, folder(agent))
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

/// An entry of an agent's file of hooks.
pub(crate) struct Entry {
    pub(crate) event: &'static str,
    pub(crate) matcher: Option<String>,
    pub(crate) command: String,
    pub(crate) timeout: Option<u32>,
    pub(crate) status_message: Option<String>,
}

/// Returns the entries for a hook that this command starts.
pub(crate) fn entries(agent: &'static Agent, hook: &Definition, command: &str) -> Vec<Entry> {
    let declared = &hook.declared;
    let goes_ahead = [agent.failures.missing, agent.failures.signal].contains(&Effect::GoesAhead);
    let denies = declared.on_failure != OnFailure::Continue && declared.mode == Mode::Awaited;
    let rest = |event: &agents::OnEvent| match denies {
        true if event.name != "PreToolUse" && !agent.blocks_by_code => OR_BLOCK,
        true if goes_ahead => OR_DENY,
        false if [agent.failures.exit_1, agent.failures.missing] == [Effect::GoesAhead; 2] => "",
        false if event.said(Part::Deny) == Some(Said::ExitCode2) => OR_GO_AHEAD_UNLESS_DENIED,
        false => OR_GO_AHEAD,
        true => "",
    };
    let longest = agent.file.longest.unwrap_or(u32::MAX);
    let is_lenient = u32::from(agent.failures.timeout == Effect::GoesAhead);
    let entry = |on: &OnEvent<String>| {
        let facts = on.facts();
        let event = agent.event(&on.event)?;
        let matcher = |text: &String| match facts.map(|event| Matcher::new(text, event)) {
            Some(Matcher::All) => None,
            // An agent may not treat a comma like Claude Code.
            Some(list @ Matcher::Names(_)) => {
                let names = list.names().map(|name| own_name(agent, name));
                Some(names.collect::<Vec<_>>().join("|"))
            }
            _ => own_expression(agent, text),
        };
        // The hook's own timeout must come first if the agent goes ahead after its own.
        let limit = declared.timeout.or(facts.map(|event| event.default_timeout.div_ceil(1000)));
        Some(Entry {
            event: event.own,
            matcher: on.matcher.as_ref().and_then(matcher),
            command: format!("{command}{}", rest(event)),
            timeout: limit.map(|seconds| (seconds + is_lenient).min(longest) * agent.file.units),
            status_message: declared.status_message.clone().filter(|_| agent.file.form != Form::Toml),
        })
    };
    hook.entries.iter().filter_map(entry).collect()
}
