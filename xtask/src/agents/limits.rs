//! Finds the hooks that another agent cannot honor, and the differences of all other hooks in that agent.

use std::collections::BTreeMap;

use anyhow::Result;
use hookkit_protocol::agents::{Agent, Part, Said};
use hookkit_protocol::event::Event;
use hookkit_protocol::hook::{Mode, OnEvent};
use hookkit_protocol::lint::{Unfit, unfit_entry, unfit_hook, unfit_policy};

use crate::binaries::definition::Definition;
use crate::terminal::{ensure_none, listed};

/// Removes the hooks and entries that an agent cannot honor. Returns a line for each reason to leave hooks out and each
/// difference, with the names of its hooks.
///
/// # Errors
///
/// Fails if a hook that was requested by name cannot work there at all.
pub(crate) fn fit(agent: &Agent, hooks: &mut Vec<Definition>, asked: &[String]) -> Result<Vec<String>> {
    let mut notes = BTreeMap::<String, Vec<String>>::new();
    let mut refused = Vec::new();
    hooks.retain_mut(|hook| {
        let name = &hook.declared.name;
        if let Some(why) = why_not(agent, hook) {
            notes.entry(format!("left out, since {why}")).or_default().push(name.clone());
            refused.extend(asked.contains(name).then(|| format!("`{name}` cannot be installed: {why}")));
            return false;
        }
        for difference in differences(agent, hook) {
            notes.entry(difference).or_default().push(name.clone());
        }
        hook.entries.retain(|entry| agent.event(&entry.event).is_some());
        true
    });
    ensure_none(&refused)?;
    Ok(notes.into_iter().map(|(what, hooks)| format!("{}: {what}", listed(hooks))).collect())
}

/// Returns the reason why an agent cannot honor a hook's declaration.
pub(crate) fn why_not(agent: &Agent, hook: &Definition) -> Option<String> {
    let (name, declared) = (agent.name, &hook.declared);
    let all = hook.members.iter().chain([hook]).filter_map(|hook| hook.declared.agents.as_deref());
    if let Some(agents) = all.into_iter().find(|agents| !agents.split('|').any(|id| id == agent.id)) {
        let agents = listed(agents.split('|'));
        return Some(format!("its author declared it only for {agents} (`agents`)"));
    }
    if let Some(argument) = &hook.of_claude {
        return Some(format!("{name} provides no `{argument}`"));
    }
    if let Some((_, why)) = unfit_hook(agent, declared.condition.is_some(), declared.mode) {
        return Some(why);
    }
    if let Some((longest, _)) = agent.file.longest.zip(declared.timeout).filter(|(longest, timeout)| timeout > longest)
    {
        return Some(format!("{name} kills a hook after {longest} seconds; lower its `timeout`"));
    }
    let mut events = Vec::new();
    for entry in &hook.entries {
        match unfit_entry(agent, entry) {
            Some((Unfit::Event, _)) => events.push(&entry.event),
            Some((_, why)) => return Some(why),
            None => {}
        }
    }
    (events.len() == hook.entries.len()).then(|| format!("{name} has no event {} that hookkit knows", listed(events)))
}

/// Returns the hook's differences in an agent, each as a clause.
pub(crate) fn differences(agent: &Agent, hook: &Definition) -> Vec<String> {
    let (name, declared) = (agent.name, &hook.declared);
    let absent = hook.entries.iter().filter(|entry| agent.event(&entry.event).is_none());
    let absent = listed(absent.map(|entry| &entry.event));
    // In Claude Code, the model reads a hook's answer on these events.
    let is_unheard = |entry: &&OnEvent<String>| {
        let honors_none = agent.event(&entry.event).is_some_and(|event| event.says.is_empty());
        honors_none && declared.mode == Mode::Awaited && entry.facts().is_some_and(Event::has_context)
    };
    let unheard = listed(hook.entries.iter().filter(is_unheard).map(|entry| &entry.event));
    let all = [
        (!unheard.is_empty()).then(|| format!("{name} ignores answers on {unheard}")),
        (!absent.is_empty()).then(|| format!("not called on {absent}, which hookkit does not know in {name}")),
        (declared.mode == Mode::Async).then(|| format!("{name} waits for it (`async`)")),
        unfit_policy(agent, declared.on_failure),
    ];
    all.into_iter().flatten().collect()
}

/// Returns the differences that apply to all hooks, for `install`.
fn answers(agent: &Agent) -> String {
    let said = |part| agent.event("PreToolUse").and_then(|event| event.said(part));
    let mut text = String::new();
    if said(Part::Ask) == Some(Said::Denied) {
        text += "`ask` becomes a denial there; its reason says that the user has to decide.\n";
    }
    if said(Part::Allow).is_none() {
        text += "A permission before a call (`allow`) has no effect there.\n";
    }
    if said(Part::Context).is_none() {
        text += "A text for the model before a call (`with_context`) has no effect there.\n";
    }
    text
}

/// Returns the events and calls that hooks do not see, and the differences that apply to all hooks, for `list`.
pub(crate) fn limits(agent: &Agent) -> String {
    let [_, version, date] = agent.seen;
    let limits: String = agent.limits.iter().map(|limit| format!("- {limit}\n")).collect();
    let (answers, name) = (answers(agent), agent.name);
    format!("{answers}Limits of hooks there (seen with {name} {version} on {date}):\n{limits}")
}

/// Returns the steps that the user must take before an agent runs hooks, for `install`.
pub(crate) fn notes(agent: &Agent) -> String {
    let answers = answers(agent);
    format!("\n{}\n{answers}More limits of hooks there: cargo xtask list\n", agent.trust)
}
