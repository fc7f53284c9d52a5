//! Does the `if` hold for a call that the hook is meant for?

use hookkit_protocol::event::Event;
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::tool;
use proc_macro2::Span;

use crate::faults::Faults;
use crate::matcher::{gone, has_tool, is_name, tool_names};
use crate::suggest::{WAY_PAST, near, or_list};

/// Checks an `if` that is not `unchecked`, on an event of tools, beside a sound matcher.
pub(crate) fn check(event: &'static Event, text: &str, matcher: Option<&str>, span: Span, faults: &mut Faults) {
    if let Err(message) = rule(event, text, matcher) {
        faults.add(span, message);
    }
}

fn rule(event: &'static Event, text: &str, matcher: Option<&str>) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("an empty `if` holds for every call; remove it".to_owned());
    }
    let (tool, content) = match text.split_once('(') {
        Some((tool, rest)) => {
            let content = rest
                .strip_suffix(')')
                .ok_or_else(|| format!("`{text}` is no permission rule, and never holds: write `{tool}(…)`"))?;
            (tool, Some(content))
        }
        None => (text, None),
    };
    if tool.contains(['|', ',']) {
        return Err(format!(
            "`{text}` never holds: an `if` is one permission rule, `Tool` or `Tool(…)`; \
             list the tools in `matcher`, or write a hook for each"
        ));
    }
    let mut depth = 0_i32;
    let is_closed_early = content.unwrap_or_default().chars().any(|char| {
        depth += match char {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    });
    if is_closed_early {
        return Err(format!(
            "`{text}` never holds: an `if` is one permission rule, `Tool(…)`; write a hook for each, \
             or look at the input in the function"
        ));
    }
    if let Some(server) = tool.strip_prefix("mcp__") {
        if !has_tool(server) || tool.contains('*') {
            return Err(format!(
                "`{tool}` never holds: an `if` names one tool, whole; for all tools of a server use `matcher`"
            ));
        }
    } else if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == tool) {
        return Err(gone(tool, *successor, &[]));
    } else if !tool_names().any(|name| name == tool) {
        if let Some(meant) = near(tool, tool_names()) {
            return Err(format!(
                "`{tool}` is no tool, and the `if` never holds; did you mean `{meant}`? {WAY_PAST}"
            ));
        }
        if !is_name(tool) {
            return Err(format!(
                "`{text}` is no permission rule, and never holds; write `Tool` or `Tool(…)`, as in `Bash(git *)`"
            ));
        }
    }
    let current = tool::current_name(tool);
    let is_compared = !tool::is_built_in(current) && !tool.starts_with("mcp__") || tool::COMPARED.contains(&current);
    if !is_compared && content.is_some_and(|content| !content.is_empty() && content != "*") {
        return Err(format!(
            "the client compares nothing of a call of `{tool}`, so that a rule with parentheses never holds; \
             it does for {}",
            or_list(tool::COMPARED, "and")
        ));
    }
    if let Some(matcher) = matcher
        && !Matcher::new(matcher, event).matches(event, current)
    {
        return Err(format!(
            "the matcher `{matcher}` does not admit `{tool}`, so that the hook would never run; mend one of them"
        ));
    }
    let names = matcher.map(|matcher| Matcher::new(matcher, event).names());
    let is_other = |name: &&str| tool::current_name(name) != current;
    let others: Vec<&str> = names.into_iter().flatten().filter(is_other).collect();
    if !others.is_empty() {
        return Err(format!(
            "the `if` holds for `{tool}` alone, so that the hook would never run on {}; \
             remove that from the matcher, or write a hook for each",
            or_list(&others, "or")
        ));
    }
    Ok(())
}

/// The tool that the `if` names, by its current name.
pub(crate) fn tool(text: &str) -> &str {
    tool::current_name(text.split_once('(').map_or(text, |(tool, _)| tool))
}
