//! Checks that an `if` holds for the calls that the matcher selects.

use super::matcher::{closes_more_than_it_opens, gone, has_tool, is_name, tool_names};
use super::{Effect, Fault, Origin, or_list, rule_content};
use crate::event::Event;
use crate::matcher::Matcher;
use crate::near;
use crate::tool;

/// Checks an `if` on a tool event, together with a matcher that has no faults.
///
/// # Errors
///
/// Fails if the `if` never holds, or misses calls that the matcher matches.
///
/// ```
/// use hookkit_protocol::event::PRE_TOOL_USE;
/// use hookkit_protocol::lint::{Effect, Origin, condition};
///
/// assert_eq!(condition(&PRE_TOOL_USE, "Bash(git *)", Some("Bash"), Origin::Settings), Ok(()));
/// let fault = condition(&PRE_TOOL_USE, "Edit|Write", None, Origin::Settings).unwrap_err();
/// assert_eq!(fault.effect, Effect::Never);
/// ```
pub fn condition(event: &Event, text: &str, matcher: Option<&str>, place: Origin) -> Result<(), Fault> {
    if text.trim().is_empty() {
        let what = "an empty `if` holds for every call";
        return Err(Fault::new(Effect::Harmless, what, "remove it"));
    }
    let (tool, content) = match text.split_once('(') {
        Some((tool, rest)) => {
            let content = rest.strip_suffix(')').ok_or_else(|| {
                let what = format!("`{text}` is not a permission rule, and never holds");
                Fault::new(Effect::Never, what, format!("write `{tool}(…)`"))
            })?;
            (tool, Some(content))
        }
        None => (text, None),
    };
    if tool.contains(['|', ',']) {
        return Err(Fault::new(
            Effect::Never,
            format!("`{text}` never holds: an `if` is one permission rule, `Tool` or `Tool(…)`"),
            "list the tools in `matcher`, or write a hook for each",
        ));
    }
    let program = match place {
        Origin::Attribute => "function",
        Origin::Settings => "hook's program",
    };
    let several = format!("write a hook for each rule, or check the input in the {program}");
    if closes_more_than_it_opens(content.unwrap_or_default().chars()) {
        return Err(Fault::new(
            Effect::Never,
            format!("`{text}` never holds: an `if` is one permission rule, `Tool(…)`"),
            several,
        ));
    }
    if let Some((what, meant)) = content.and_then(|content| rule_content(tool, content)) {
        let meant: Vec<&str> = meant.iter().map(String::as_str).collect();
        let fix = if meant.is_empty() { several } else { format!("write {}", or_list(&meant, "or")) };
        return Err(Fault::new(Effect::Never, format!("`{text}` never holds: {what}"), fix).unless_meant());
    }
    if let Some(server) = tool.strip_prefix("mcp__") {
        if !has_tool(server) || tool.contains('*') {
            return Err(Fault::new(
                Effect::Never,
                format!("`{tool}` never holds: an `if` takes the full name of one tool"),
                "for all tools of a server use `matcher`",
            ));
        }
    } else if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == tool) {
        return Err(gone(tool, *successor, &[]));
    } else if !tool_names().any(|name| name == tool) {
        if let Some(meant) = near(tool, tool_names()) {
            let what = format!("`{tool}` is not a tool, and the `if` never holds");
            return Err(Fault::new(Effect::Never, what, format!("did you mean `{meant}`?")).unless_meant());
        }
        if !is_name(tool) {
            return Err(Fault::new(
                Effect::Never,
                format!("`{text}` is not a permission rule, and never holds"),
                "write `Tool` or `Tool(…)`, as in `Bash(git *)`",
            ));
        }
    }
    let current = tool::current_name(tool);
    let is_compared = !tool::is_built_in(current) && !tool.starts_with("mcp__") || tool::COMPARED.contains(&current);
    if !is_compared && content.is_some_and(|content| !content.is_empty() && content != "*") {
        return Err(Fault::new(
            Effect::Never,
            format!("a rule with parentheses never holds for `{tool}`"),
            format!("the client compares only calls of {}", or_list(tool::COMPARED, "and")),
        ));
    }
    if let Some(matcher) = matcher
        && !Matcher::new(matcher, event).matches(event, current)
    {
        return Err(Fault::new(
            Effect::Never,
            format!("the matcher `{matcher}` does not match `{tool}`: the hook would never run"),
            "fix one of them",
        ));
    }
    let names = matcher.map(|matcher| Matcher::new(matcher, event).names());
    let is_other = |name: &&str| tool::current_name(name) != current;
    let others: Vec<&str> = names.into_iter().flatten().filter(is_other).collect();
    if !others.is_empty() {
        return Err(Fault::new(
            Effect::Never,
            format!("the `if` holds only for `{tool}`: the hook would never run on {}", or_list(&others, "or")),
            "remove the rest from the matcher, or write a hook for each",
        ));
    }
    Ok(())
}

/// Returns the current name of the tool that an `if` names.
pub fn tool_of_condition(text: &str) -> &str {
    tool::current_name(text.split_once('(').map_or(text, |(tool, _)| tool))
}
