//! Finds parts of hooks that another agent cannot honor, and translates matchers into an agent's words.

use crate::agents::{Agent, Input, Part, Said};
use crate::hook::{Mode, OnEvent, OnFailure};
use crate::lint::or_list;
use crate::matcher::Matcher;

/// The part of a declaration that an agent cannot honor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// The event.
    Event,
    /// The matcher, or the type of the function that sets it.
    Matcher,
    /// The permission rule `if`.
    Condition,
    /// The mode `async_rewake`.
    Mode,
    /// A replaced input or output in the answer.
    Answer,
}

/// Returns the reason why an agent cannot honor the `if` or the mode of a hook.
pub fn unfit_hook(agent: &Agent, has_condition: bool, mode: Mode) -> Option<(Unfit, String)> {
    let name = agent.name;
    if has_condition {
        let why = format!("{name} ignores `if`, and would run it on each call; check the call in the hook");
        return Some((Unfit::Condition, why));
    }
    let wakes = mode == Mode::AsyncRewake;
    wakes.then(|| (Unfit::Mode, format!("{name} cannot be woken by a hook (`async_rewake`)")))
}

/// Returns the reason why a hook with the policy `ask` denies when it fails: the agent cannot ask the user.
pub fn unfit_policy(agent: &Agent, policy: OnFailure) -> Option<String> {
    let said = agent.event("PreToolUse").and_then(|event| event.said(Part::Ask));
    (policy == OnFailure::Ask && said == Some(Said::Denied))
        .then(|| format!("{} cannot ask the user, so a failure denies", agent.name))
}

/// Returns the reason why an agent cannot honor a hook on one of its events.
pub fn unfit_entry<S: AsRef<str>>(agent: &Agent, entry: &OnEvent<S>) -> Option<(Unfit, String)> {
    let name = agent.name;
    let Some(event) = agent.event(entry.event.as_ref()) else {
        let why = format!("{name} has no event `{}` that hookkit knows", entry.event.as_ref());
        return Some((Unfit::Event, why));
    };
    let facts = entry.facts()?;
    let matcher = Matcher::new(entry.matcher.as_ref().map_or("", S::as_ref), facts);
    if facts.matcher_target.field() == Some("tool_name") && !agent.calls(matcher) {
        let tools = or_list(&matcher.names().collect::<Vec<_>>(), "or");
        return Some((Unfit::Matcher, format!("{name} has no tool {tools} that hookkit knows")));
    }
    if let Matcher::Regex(text) = matcher {
        if !agent.looks_around && ["(?=", "(?!", "(?<"].iter().any(|look| text.contains(look)) {
            let why =
                format!("{name} does not apply the matcher `{text}`: it does not support `(?=…)` and similar groups");
            return Some((Unfit::Matcher, why));
        }
        if own_expression(agent, text).is_none() {
            let why = format!("{name} has different tool names, and the matcher `{text}` contains a part of one");
            return Some((Unfit::Matcher, why));
        }
    }
    if !entry.rewrites {
        return None;
    }
    let (part, what) = match event.name {
        "PostToolUse" => (Part::Output, "output"),
        _ => (Part::Rewrite, "input"),
    };
    let patched = agent.tools.iter().filter(|tool| matches!(tool.input, Input::Patch(_)));
    let is_patched = |tool: &str| patched.clone().any(|patched| patched.names.contains(&tool));
    let why = match () {
        () if event.said(part).is_none() => format!("{name} cannot change the {what} of a call on {}", event.name),
        () if matcher.names().any(is_patched) => {
            format!("{name} changes files by patches, which a hook cannot rewrite")
        }
        () => return None,
    };
    Some((Unfit::Answer, why))
}

/// Returns the name of a tool in the agent's matchers.
pub fn own_name(agent: &Agent, name: &str) -> String {
    match name.strip_prefix("mcp__").zip(agent.mcp.as_ref()) {
        Some(("", of)) => format!("{}.+{}", of.before, of.between),
        Some((rest, of)) => of.before.to_owned() + &rest.replacen("__", of.between, 1),
        None => agent.matched(name).unwrap_or(name).to_owned(),
    }
}

/// Returns a regular expression with an agent's tool names for a matcher. `None` if the matcher contains a part of a
/// name, and the agent has other names.
pub fn own_expression(agent: &Agent, text: &str) -> Option<String> {
    const OPERATORS: [char; 9] = ['.', '*', '+', '?', '{', '}', '[', ']', '\\'];
    let (mut own, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let is_end = |char: char| !char.is_ascii_alphanumeric() && char != '_';
        let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        let is_whole = !after.starts_with(OPERATORS) && !own.ends_with(OPERATORS);
        match word {
            "" => own.push(first),
            _ if is_whole => match own_name(agent, word) {
                either if either.contains('|') => own += &format!("(?:{either})"),
                one => own += &one,
            },
            _ if word.starts_with("mcp__") => own += &own_name(agent, word),
            _ if agent.has_own_names() => return None,
            _ => own += word,
        }
        rest = if word.is_empty() { &rest[first.len_utf8()..] } else { after };
    }
    Some(own)
}
