//! Rules for matchers that are regular expressions.

use super::alternatives::{alternatives, bare, flattened, is_name};
use super::{matcher, tool_name, tool_names, tool_of_rule};
use crate::event::{Event, MatcherTarget, Values};
use crate::lint::{Effect, Fault, Origin, or_list};
use crate::matcher::{PatternError, pattern};
use crate::tool;

/// Returns the faults of a regular expression.
pub(super) fn faults(event: &Event, text: &str) -> Vec<Fault> {
    if let [first, .., last] = &alternatives(text)[..]
        && first.starts_with('^')
        && !first.trim_end().ends_with('$')
        && last.ends_with('$')
        && !last.trim_start().starts_with('^')
    {
        let bare = text.trim_start_matches('^').trim_end_matches('$');
        let what = format!("in `{text}` the `^` applies to `{first}` alone, and the `$` to `{last}`");
        return vec![Fault::new(Effect::More, what, format!("write `^({bare})$`")).unless_meant()];
    }
    let alternatives = flattened(text);
    for alternative in &alternatives {
        let effect = match reaches(event, alternative) {
            true => Effect::Harmless,
            false => Effect::Never,
        };
        if alternative.trim() != *alternative {
            let what = format!("`{text}` is a regular expression, in which the blanks of `{alternative}` count");
            return vec![Fault::new(effect, what, as_meant(event, text))];
        }
        if alternative.contains(',') && !alternative.contains(['[', '{']) {
            let what = format!("`{text}` is a regular expression, in which a comma is not a separator");
            return vec![Fault::new(effect, what, "write `|`").unless_meant()];
        }
    }
    match event.matcher_target {
        MatcherTarget::ToolName => tool_regex(text, &alternatives),
        MatcherTarget::Field { name: field, values: Values::Only(values) } => {
            let is_reached = |alternative: &&String| values.iter().any(|value| matches(alternative, value));
            let never = alternatives.iter().filter(|alternative| !is_reached(alternative));
            let faults = never.map(|alternative| {
                let what = format!("the `{field}` of {} never matches `{alternative}`", event.name);
                let fix = format!("it is {}", or_list(values, "or"));
                Fault::new(Effect::Never, what, fix).unless_meant()
            });
            faults.collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the fault of an empty alternative, which matches everything unless it is anchored at both ends.
pub(super) fn empty_alternative(event: &Event, text: &str) -> Option<Fault> {
    let is_anchored = |alternative: &String| alternative.starts_with('^') && alternative.ends_with('$');
    let alternatives = flattened(text).into_iter();
    let empty: Vec<String> =
        alternatives.filter(|alternative| alternative.trim_matches(['^', '$']).is_empty()).collect();
    let (effect, does) = match (empty.iter().all(is_anchored), event.matcher_target) {
        _ if empty.is_empty() => return None,
        (true, _) => (Effect::Harmless, " and matches nothing"),
        (false, MatcherTarget::ToolName) => (Effect::More, ", so it matches every tool"),
        (false, _) => (Effect::More, ", so it matches everything"),
    };
    let what = format!("an alternative of the regular expression `{text}` is empty{does}");
    Some(Fault::new(effect, what, as_meant(event, text)))
}

/// Returns the expression without its empty alternatives and without blanks around the others, as the fix.
fn as_meant(event: &Event, text: &str) -> String {
    let parts: Vec<String> = flattened(text)
        .into_iter()
        .map(|alternative| part_as_meant(&alternative))
        .filter(|part| !part.trim_matches(['^', '$']).is_empty())
        .collect();
    let is_list = parts.iter().all(|part| is_name(part));
    let written = parts.iter().map(|part| match is_name(part) && !is_list {
        true => format!("^{part}$"),
        false => part.clone(),
    });
    let meant = written.collect::<Vec<_>>().join("|");
    // A text that is not changed is not a fix, and checking it again would not end.
    let is_sound = !parts.is_empty() && meant != text && matcher(event, &meant, Origin::Settings).is_empty();
    let has_rule = alternatives(text).into_iter().any(|part| tool_of_rule(part).is_some());
    match (is_sound, has_rule) {
        (true, false) => format!("write `{meant}`"),
        (true, true) => format!("write `{meant}`, and check the input in the hook's program"),
        (false, _) => "write the names with one `|` between them, and no blanks".to_owned(),
    }
}

/// Trims an alternative. If it is anchored, compared or followed by a rule, only the name is returned.
fn part_as_meant(alternative: &str) -> String {
    let part = alternative.trim();
    let is_whole = !part.starts_with('^') || part.ends_with('$');
    let whole = || is_whole.then(|| bare(part).trim()).filter(|name| is_name(name));
    let name = tool_of_rule(part).or_else(|| compared(part)).or_else(whole);
    name.unwrap_or(part).to_owned()
}

/// Returns the name in a comparison such as `tool == "Edit"`, which is not the syntax of matchers.
fn compared(text: &str) -> Option<&str> {
    let (variable, value) = text.split_once("==")?;
    let value = value.trim_start_matches('=').trim();
    let name = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (is_name(variable.trim()) && is_name(name) && !name.is_empty()).then_some(name)
}

/// Returns `true` if an expression matches any value in the tables.
fn reaches(event: &Event, text: &str) -> bool {
    match event.matcher_target {
        MatcherTarget::ToolName => tool_names().any(|name| matches(text, name)),
        MatcherTarget::Field { values: Values::Only(values) | Values::Known(values), .. } => {
            values.iter().any(|value| matches(text, value))
        }
        _ => false,
    }
}

fn tool_regex(text: &str, alternatives: &[String]) -> Vec<Fault> {
    let is_everything = |text: &str| !text.contains(|char: char| char.is_alphanumeric());
    // A look-ahead may leave out the tools of one server: names with its words are tried, too.
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    let of_servers =
        words.flat_map(|word| [word.to_owned(), format!("mcp__zq{word}__zq"), format!("mcp__zq__zq{word}")]);
    if !is_everything(text)
        && of_servers.filter(|name| !name.is_empty()).all(|name| matches(text, &name))
        && ["Zq", "zq_mcp__z__z"].iter().chain(tool::BUILT_IN).all(|name| matches(text, name))
    {
        let what = format!("`{text}` is a regular expression that matches every tool");
        return vec![Fault::new(Effect::More, what, "write `*`, or the names of the tools").unless_meant()];
    }
    let names: Vec<&str> = alternatives.iter().map(|alternative| bare(alternative)).collect();
    let mut faults = Vec::new();
    for alternative in alternatives {
        if let Some(fixed) = as_glob(alternative) {
            let what = format!("in the regular expression `{alternative}` a `*` repeats the letter before it");
            let effect = match is_as_meant(alternative, &fixed) {
                true => Effect::Harmless,
                false => Effect::More,
            };
            faults.push(Fault::new(effect, what, format!("write `{fixed}`")).unless_meant());
        } else if is_name(bare(alternative)) {
            // Without both anchors it is a part of other names, also of servers' tools.
            let is_whole = alternative.starts_with('^') && alternative.ends_with('$');
            let fault = tool_name(bare(alternative), &names);
            faults.extend(fault.filter(|fault| fault.effect != Effect::Unknown || is_whole));
        } else if !may_be_of_mcp(alternative) && !tool_names().any(|name| matches(alternative, name)) {
            let lower = alternative.to_lowercase();
            let meant = tool_names().find(|name| matches(&lower, &name.to_lowercase()));
            let hint = match (compared(alternative), meant) {
                (Some(name), _) => format!("write `{name}`"),
                (None, Some(name)) => format!("names are case-sensitive; did you mean `{name}`?"),
                (None, None) => "write tool names with `|` between them".to_owned(),
            };
            let what = format!("`{alternative}` is a regular expression that matches none of the client's tools");
            faults.push(Fault::new(Effect::Never, what, hint).unless_meant());
        }
    }
    faults.extend(alternatives.iter().filter_map(|alternative| matches_more(text, alternative, alternatives)));
    faults
}

/// Returns the fault of a name that also matches other tools: in an expression, a name matches anywhere in a longer
/// name.
fn matches_more(text: &str, alternative: &String, alternatives: &[String]) -> Option<Fault> {
    let name = tool_names().find(|tool| *tool == bare(alternative))?;
    let is_meant = |tool: &str| {
        let mut others = alternatives.iter().filter(|other| *other != alternative);
        tool == name || others.any(|other| matches(other, tool))
    };
    let also = tool::BUILT_IN.iter().copied().filter(|tool| matches(alternative, tool));
    let also: Vec<&str> = also.filter(|tool| !is_meant(tool)).collect();
    if also.is_empty() {
        return None;
    }
    let also = or_list(&also, "and");
    let what = format!("`{text}` is a regular expression, in which `{alternative}` also matches {also}");
    let fix = format!("write `^{name}$` for that tool alone, or `{name}.*` for all");
    Some(Fault::new(Effect::More, what, fix))
}

fn matches(expression: &str, name: &str) -> bool {
    pattern(expression).is_ok_and(|pattern| pattern.is_match(name))
}

/// Returns `true` if an expression may match tools of MCP servers. The names of these tools cannot be listed, but
/// contain two underscores.
fn may_be_of_mcp(expression: &str) -> bool {
    let has_other_prefix = expression.contains("mcp_") && !expression.contains("mcp__");
    let has_other_case = expression.to_lowercase().contains("mcp__") && !expression.contains("mcp__");
    let looks_around = expression.contains("(?=") || expression.contains("(?<=");
    (expression.contains("__") || looks_around) && !has_other_prefix && !has_other_case
}

/// Translates a glob written as an expression; `None` if the expression is not a glob.
///
/// `mcp__server__*` counts as a glob, because as an expression it also matches the tools of a server `server_other`.
fn as_glob(expression: &str) -> Option<String> {
    if !is_name(&expression.replace('*', "")) || !expression.contains('*') || expression.starts_with('*') {
        return None;
    }
    Some(expression.replace('*', ".*"))
}

/// Returns `true` if the fix matches the same tools in the tables as the glob does when it is read as an expression.
fn is_as_meant(glob: &str, fixed: &str) -> bool {
    let meant = format!("^{fixed}$");
    tool_names().all(|name| matches(glob, name) == matches(&meant, name))
}

pub(super) fn invalid(text: &str, err: &PatternError) -> Fault {
    let mut excerpt = format!("\n\n    {text}");
    if let Some(at) = err.offset() {
        let before = text.get(..at).unwrap_or(text).chars().count();
        excerpt += &format!("\n    {}^", " ".repeat(before));
    }
    let what = format!("invalid regular expression, which never matches: {err}");
    Fault { excerpt, ..Fault::new(Effect::Never, what, "write a valid one, or whole names with `|` between them") }
}
