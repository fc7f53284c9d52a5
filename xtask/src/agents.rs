//! Hooks for other coding agents, by the rows of `hookkit_protocol::agents`: their entries, and what an agent cannot do.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use hookkit_protocol::agents::{AGENTS, Agent, Effect, Input, Part, Said};
use hookkit_protocol::hook::{Mode, OnEvent, OnFailure};
use hookkit_protocol::matcher::Matcher;

use crate::binaries::definition::Definition;
use crate::terminal::{listed, meant};

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
pub(crate) struct Entry<'h> {
    pub(crate) event: &'static str,
    pub(crate) matcher: Option<String>,
    pub(crate) command: String,
    pub(crate) timeout: Option<u32>,
    pub(crate) status_message: Option<&'h String>,
}

/// Returns the entries of a hook, which the command starts.
pub(crate) fn entries<'h>(agent: &'static Agent, hook: &'h Definition, command: &str) -> Vec<Entry<'h>> {
    let declared = &hook.declared;
    let goes_ahead = [agent.failures.missing, agent.failures.signal].contains(&Effect::GoesAhead);
    let denies = declared.on_failure != OnFailure::Continue && declared.mode == Mode::Awaited;
    let rest = if denies && goes_ahead { OR_DENY } else { "" };
    let is_lenient = u32::from(agent.failures.timeout == Effect::GoesAhead);
    let entry = |on: &OnEvent<String>| {
        Some(Entry {
            event: agent.event(&on.event)?.own,
            matcher: on
                .matcher
                .as_ref()
                .map(|text| match on.facts().map(|event| Matcher::new(text, event)) {
                    // An agent may not read a comma as Claude Code does.
                    Some(list @ Matcher::Names(_)) => list.names().collect::<Vec<_>>().join("|"),
                    _ => text.clone(),
                }),
            command: format!("{command}{rest}"),
            // The hook's own limit comes first, where an agent goes ahead without one that is late.
            timeout: declared
                .timeout
                .map(|seconds| (seconds + is_lenient) * agent.file.units),
            status_message: declared.status_message.as_ref(),
        })
    };
    hook.entries.iter().filter_map(entry).collect()
}

/// Removes the hooks and the entries that an agent cannot honor; returns what is to be known, with the names of the hooks.
///
/// # Errors
///
/// Fails if a hook that was asked for by its name cannot work there at all.
pub(crate) fn fit(agent: &Agent, hooks: &mut Vec<Definition>, asked: &[String]) -> Result<Vec<String>> {
    let mut notes = BTreeMap::<String, Vec<String>>::new();
    let mut refused = Vec::new();
    hooks.retain_mut(|hook| {
        let name = &hook.declared.name;
        let why_not = why_not(agent, hook);
        if let Some(why) = &why_not {
            notes
                .entry(format!("left out, since {why}"))
                .or_default()
                .push(name.clone());
            refused.extend(
                asked
                    .contains(name)
                    .then(|| format!("`{name}` cannot be installed: {why}")),
            );
            return false;
        }
        for difference in differences(agent, hook) {
            notes.entry(difference).or_default().push(name.clone());
        }
        hook.entries.retain(|entry| agent.event(&entry.event).is_some());
        true
    });
    ensure!(refused.is_empty(), "{}", refused.join("\n"));
    Ok(notes
        .into_iter()
        .map(|(what, hooks)| format!("{}: {what}", listed(hooks)))
        .collect())
}

/// Returns the reason why a hook would not do in an agent what its declaration says.
pub(crate) fn why_not(agent: &Agent, hook: &Definition) -> Option<String> {
    let (name, declared) = (agent.name, &hook.declared);
    if declared.condition.is_some() {
        return Some(format!(
            "{name} ignores `if`, and would run it on each call; check the call in the hook"
        ));
    }
    if declared.mode == Mode::AsyncRewake {
        return Some(format!("{name} cannot be woken by a hook (`async_rewake`)"));
    }
    let mut events = Vec::new();
    for entry in &hook.entries {
        let Some(event) = agent.event(&entry.event) else {
            events.push(&entry.event);
            continue;
        };
        let Some(facts) = entry.facts() else { continue };
        let matcher = Matcher::new(entry.matcher.as_deref().unwrap_or_default(), facts);
        if facts.matcher_target.field() == Some("tool_name") && !agent.calls(matcher) {
            return Some(format!("{name} has no tool {}", listed(matcher.names())));
        }
        if let Matcher::Regex(text) = matcher
            && ["(?=", "(?!", "(?<"].iter().any(|look| text.contains(look))
        {
            return Some(format!(
                "{name} does not apply the matcher `{text}`: it knows no `(?=…)` and its like"
            ));
        }
        let part = if entry.event == "PostToolUse" {
            Part::Output
        } else {
            Part::Rewrite
        };
        let patched = agent.tools.iter().filter(|tool| matches!(tool.input, Input::Patch(_)));
        let is_patched = |tool: &str| patched.clone().any(|patched| patched.names.contains(&tool));
        if entry.rewrites && event.said(part).is_none() {
            return Some(format!(
                "{name} cannot change {} on {}",
                hook.replaces().unwrap_or_default(),
                entry.event
            ));
        }
        if entry.rewrites && matcher.names().any(is_patched) {
            return Some(format!("{name} changes files by patches, which a hook cannot rewrite"));
        }
    }
    (events.len() == hook.entries.len()).then(|| format!("{name} has no event {}", listed(events)))
}

/// Returns what a hook does differently in an agent, each as a clause.
pub(crate) fn differences(agent: &Agent, hook: &Definition) -> Vec<String> {
    let (name, declared) = (agent.name, &hook.declared);
    let absent = hook.entries.iter().filter(|entry| agent.event(&entry.event).is_none());
    let absent: Vec<&String> = absent.map(|entry| &entry.event).collect();
    let asks = declared.on_failure == OnFailure::Ask;
    let all = [
        (!absent.is_empty()).then(|| format!("not called on {}, which {name} does not have", listed(absent))),
        (declared.mode == Mode::Async).then(|| format!("{name} waits for it (`async`)")),
        asks.then(|| format!("{name} cannot ask, so that a failure denies")),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the limits of answers before a tool call, for all hooks.
pub(crate) fn answers(agent: &Agent) -> String {
    let said = |part| agent.event("PreToolUse").and_then(|event| event.said(part));
    let mut text = String::new();
    if said(Part::Ask) == Some(Said::Denied) {
        text += "A question to the user is a denial there, which says that the user has to decide.\n";
    }
    if said(Part::Allow).is_none() {
        text += "A permission before a call (`allow`) has no effect there.\n";
    }
    text
}

/// Checks that an agent would read a file of hooks.
///
/// # Errors
///
/// Fails if it would drop the whole file: the error says why, and the fix.
pub(crate) fn ensure_read(agent: &Agent, file: &Path, text: &str) -> Result<()> {
    let dropped = |why: &str| {
        format!(
            "{}: {} would read none of its hooks, since {why}",
            file.display(),
            agent.name
        )
    };
    let parsed = serde_json::from_str::<serde_json::Value>(text);
    let parsed = parsed
        .map_err(|err| anyhow::anyhow!("{}; fix it first", dropped(&format!("it is not strict JSON ({err})"))))?;
    let mut keys = parsed.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let other = keys.find(|key| !agent.file.keys.is_empty() && !agent.file.keys.contains(key));
    if let Some(other) = other {
        bail!("{}; remove it first", dropped(&format!("it has the key `{other}`")));
    }
    for (event, groups) in parsed["hooks"].as_object().into_iter().flatten() {
        let groups = groups.as_array();
        ensure!(
            groups.is_some(),
            "{}; make it a list",
            dropped(&format!("`{event}` is not a list"))
        );
        let mut handlers = groups
            .into_iter()
            .flatten()
            .flat_map(|group| group["hooks"].as_array().into_iter().flatten());
        ensure!(
            handlers.all(|handler| handler["command"].is_string()),
            "{}; add it, or remove the handler",
            dropped(&format!("a handler on {event} has no `command`"))
        );
    }
    Ok(())
}

/// Returns what its user has to do and to know before an agent runs hooks, for `install`.
pub(crate) fn notes(agent: &Agent) -> String {
    let [_, version, date] = agent.seen;
    let limits: String = agent.limits.iter().map(|limit| format!("- {limit}\n")).collect();
    format!(
        "\n{}\n\n{}What hooks do not see there (seen with {} {version} on {date}):\n{limits}",
        agent.trust,
        answers(agent),
        agent.name
    )
}

/// Returns the reason why an agent would not start a hook of these settings, or not as it is declared; `None` if it does.
pub(crate) fn fault(is_entry_current: bool, has_binary: bool) -> Option<&'static str> {
    match (is_entry_current, has_binary) {
        (_, false) => Some("its binary is missing; `install` builds it"),
        (false, true) => Some("its entry is not what `install` writes; `install` writes it anew"),
        (true, true) => None,
    }
}
