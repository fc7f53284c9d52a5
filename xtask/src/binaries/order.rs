//! Orders: hooks on one event that run one after the other in one program. A workspace defines them in its Cargo.toml,
//! under `[workspace.metadata.hookkit.orders]`.
//!
//! An order has the same definition as any other hook, with a launcher for several hooks. So the code that installs,
//! lists or turns off hooks handles orders, too.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use hookkit_protocol::event::Event;
use hookkit_protocol::hook::{Declaration, Mode, OnEvent, OnFailure};
use hookkit_protocol::lint::looks_like_milliseconds;
use hookkit_protocol::matcher::Matcher;

use crate::binaries::definition::{Changes, Definition, names};
use crate::terminal::{self, ensure_none, listed};

/// The events with mergeable answers whose hooks can replace input or output.
const EVENTS: [&str; 3] = ["PreToolUse", "PermissionRequest", "PostToolUse"];

/// Maximum timeout of an order, in seconds: `doctor` reports a longer one as a mistake.
const LONGEST: u32 = 7_200;

/// Adds the definitions of a workspace's orders, and marks their hooks. The hooks must already have the workspace's
/// changes.
///
/// # Errors
///
/// Fails if an order cannot be built, or would not behave like its hooks.
pub(crate) fn apply(orders: &BTreeMap<String, Vec<String>>, hooks: &mut Vec<Definition>) -> Result<()> {
    let mut faults = Vec::new();
    for (name, members) in orders {
        let found = find(name, members, hooks);
        match found.and_then(|members| Ok((definition(name, &members, hooks)?, members))) {
            Ok((definition, members)) => {
                for member in members {
                    hooks[member].changes.order = Some(name.clone());
                }
                hooks.push(definition);
            }
            Err(fault) => faults.push(format!("[workspace.metadata.hookkit.orders] {name}: {fault}")),
        }
    }
    ensure_none(&faults)
}

/// Returns the positions of an order's hooks that are not off, in sequence.
fn find(name: &str, members: &[String], hooks: &[Definition]) -> Result<Vec<usize>, String> {
    let is_plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    if name.is_empty() || !name.chars().all(is_plain) || name.starts_with('-') {
        return Err("an order's name is also the name of its binary: use lowercase letters, digits and `-`".to_owned());
    }
    if hooks.iter().any(|hook| hook.declared.name == name && !hook.changes.off) {
        return Err("a hook has this name; give the order another one".to_owned());
    }
    if members.len() < 2 {
        return Err(r#"an order needs at least two hooks; write `["…", "…"]`, or remove it"#.to_owned());
    }
    let mut found = Vec::new();
    for member in members {
        let mut meant = hooks
            .iter()
            .enumerate()
            .filter(|(_, hook)| hook.declared.name == *member && hook.members.is_empty())
            .peekable();
        if meant.peek().is_none() {
            return Err(format!("there is no hook `{member}` here; {}", terminal::meant(member, names(hooks))));
        }
        let Some((position, hook)) = meant.find(|(_, hook)| !hook.changes.off) else {
            continue;
        };
        if let Some(other) = &hook.changes.order {
            return Err(format!("`{member}` is also in the order `{other}`; remove one of them"));
        }
        if found.contains(&position) {
            return Err(format!("`{member}` is in it twice; remove one of them"));
        }
        found.push(position);
    }
    if found.is_empty() {
        return Err("all of its hooks are off; remove the order".to_owned());
    }
    Ok(found)
}

/// Returns an order of these hooks as a hook definition.
fn definition(order: &str, members: &[usize], all: &[Definition]) -> Result<Definition, String> {
    let hooks: Vec<&Definition> = members.iter().map(|position| &all[*position]).collect();
    let (event, entries) = entries(&hooks)?;
    let name = |hook: &Definition| hook.declared.name.clone();
    if let Some(hook) = hooks.iter().find(|hook| hook.declared.mode != Mode::Awaited) {
        return Err(format!(
            "Claude Code does not wait for `{}`, so its answer cannot be merged; remove it",
            name(hook)
        ));
    }
    let condition = &hooks[0].declared.condition;
    if let Some(hook) = hooks.iter().find(|hook| hook.declared.condition != *condition) {
        return Err(format!(
            "`{}` and `{}` have different conditions (`if`), which Claude Code checks before it starts a program; \
             give both the same in [workspace.metadata.hookkit.hooks.NAME], or remove one",
            name(hooks[0]),
            name(hook)
        ));
    }
    let matcher = matcher(event, &hooks, &entries)?;
    let on_failure = hooks
        .iter()
        .map(|hook| hook.declared.on_failure)
        .min_by_key(|policy| OnFailure::ALL.iter().position(|known| known == policy));
    let messages: Vec<&str> = hooks.iter().filter_map(|hook| hook.declared.status_message.as_deref()).collect();
    let names = listed(names(hooks.iter().copied()));
    let entry = OnEvent {
        event: event.name.to_owned(),
        matcher,
        blocks_in_settings: entries.iter().any(|entry| entry.blocks_in_settings),
        rewrites: entries.iter().any(|entry| entry.rewrites),
    };
    let declared = Declaration {
        name: order.to_owned(),
        description: format!("Runs one after the other: {names}."),
        condition: condition.clone(),
        timeout: Some(timeout(event, &hooks)),
        status_message: (!messages.is_empty()).then(|| messages.join("; ")),
        on_failure: on_failure.unwrap_or(OnFailure::Continue),
        mode: Mode::Awaited,
        // Each member has its own.
        agents: None,
        path: String::new(),
        package: String::new(),
        package_version: String::new(),
    };
    Ok(Definition {
        changes: Changes { launcher: Some(launcher(&declared, &entry, &hooks)), ..Changes::default() },
        declared,
        entries: vec![entry],
        written_matcher: None,
        written_condition: None,
        config: None,
        local: None,
        of_claude: hooks.iter().find_map(|hook| hook.of_claude.clone()),
        members: hooks.into_iter().cloned().collect(),
    })
}

/// Returns the hooks' event, and the entry of each hook.
fn entries<'h>(hooks: &[&'h Definition]) -> Result<(&'static Event, Vec<&'h OnEvent<String>>), String> {
    let mut entries: Vec<&OnEvent<String>> = Vec::new();
    for hook in hooks {
        let name = &hook.declared.name;
        let [entry] = &hook.entries[..] else {
            return Err(format!("`{name}` is a hook on several events; remove it"));
        };
        if !EVENTS.contains(&entry.event.as_str()) {
            return Err(format!(
                "`{name}` is a hook on {}; an order is for hooks on {}",
                entry.event,
                EVENTS.join(", ")
            ));
        }
        if let Some(first) = entries.first()
            && first.event != entry.event
        {
            return Err(format!(
                "`{}` is a hook on {}, and `{name}` on {}; write an order for each event",
                hooks[0].declared.name, first.event, entry.event
            ));
        }
        entries.push(entry);
    }
    let event = entries.first().and_then(|entry| entry.facts());
    Ok((event.ok_or("it has no hook")?, entries))
}

/// Returns a matcher that matches if any of the hooks' matchers match.
///
/// The program checks each hook's own list of names again, but no regular expressions, because only Claude Code
/// evaluates them.
fn matcher(
    event: &'static Event,
    hooks: &[&Definition],
    entries: &[&OnEvent<String>],
) -> Result<Option<String>, String> {
    let first = &entries[0].matcher;
    if entries.iter().all(|entry| entry.matcher == *first) {
        return Ok(first.clone());
    }
    let mut names: Vec<&str> = Vec::new();
    let mut is_all = false;
    for (hook, entry) in hooks.iter().zip(entries) {
        match Matcher::new(entry.matcher.as_deref().unwrap_or_default(), event) {
            Matcher::All => is_all = true,
            list @ Matcher::Names(_) => {
                for name in list.names() {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            Matcher::Regex(text) => {
                return Err(format!(
                    "the matcher of `{}` is a regular expression, `{text}`, but hooks of an order must have the same \
                     matcher or lists of names; write a list in [workspace.metadata.hookkit.hooks.{}], or remove the \
                     hook from the order",
                    hook.declared.name, hook.declared.name
                ));
            }
        }
    }
    Ok((!is_all).then(|| names.join("|")))
}

/// Returns the sum of the hooks' timeouts, plus a second for the order itself.
fn timeout(event: &Event, hooks: &[&Definition]) -> u32 {
    let default = event.default_timeout.div_ceil(1_000);
    let all = hooks.iter().map(|hook| hook.declared.timeout.unwrap_or(default)).fold(1, u32::saturating_add);
    let all = if looks_like_milliseconds(all) { all + 1 } else { all };
    all.min(LONGEST)
}

/// Returns the code of the order's launcher.
fn launcher(declared: &Declaration<String>, entry: &OnEvent<String>, hooks: &[&Definition]) -> String {
    let (mut modules, mut members) = (String::new(), String::new());
    for (number, hook) in hooks.iter().enumerate() {
        let (definition, environment) = match &hook.changes.launcher {
            // Writing to a string cannot fail.
            Some(code) => {
                let _ = writeln!(modules, "mod hook_{number} {{\n{code}}}\n");
                (format!("&hook_{number}::__DEF"), format!("hook_{number}::__ENVIRONMENT"))
            }
            None => {
                let path = hook.path_from_outside();
                (format!("<{path} as hookkit::Hook>::DEF"), "&[]".to_owned())
            }
        };
        let _ = writeln!(
            members,
            "        hookkit::__private::Member {{ hook: {definition}, environment: {environment} }},"
        );
    }
    let Declaration { name, condition, timeout, status_message, on_failure, .. } = declared;
    format!(
        "{modules}hookkit::__private::in_order! {{\n    {},\n    {:?},\n    hookkit::__private::Declaration {{\n        \
         name: {name:?},\n        condition: {condition:?},\n        timeout: {timeout:?},\n        \
         status_message: {status_message:?},\n        on_failure: hookkit::OnFailure::{on_failure:?},\n        \
         ..hookkit::__private::UNDECLARED\n    }},\n    [\n{members}    ]\n}}\n",
        entry.event, entry.matcher
    )
}
