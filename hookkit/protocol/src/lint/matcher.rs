//! Does the matcher match what its author means? Every rule and every message.

use super::{Effect, Fault, Place, near, or_list};
use crate::event::{Event, MatcherTarget, Values};
use crate::matcher::{self, Matcher, syntax};
use crate::tool;

/// The faults of a matcher, on an event that has one.
///
/// ```
/// use hookkit_protocol::event::PRE_TOOL_USE;
/// use hookkit_protocol::lint::{self, Place};
///
/// let faults = lint::matcher(&PRE_TOOL_USE, "Bahs", Place::Settings);
/// assert_eq!(faults[0].to_string(), "`Bahs` matches no tool; did you mean `Bash`?");
/// ```
pub fn matcher(event: &Event, text: &str, place: Place) -> Vec<Fault> {
    if text.is_empty() {
        let what = "an empty matcher matches everything";
        return vec![Fault::new(Effect::Harmless, what, "leave it out, or write `*`")];
    }
    // Whatever the other alternatives are, and be they permission rules.
    if let Matcher::Regex(_) = Matcher::new(text, event)
        && matcher::pattern(text).is_ok()
        && let Some(found) = empty_alternative(event, text)
    {
        return vec![found];
    }
    for alternative in alternatives(text) {
        if let Some(tool) = tool_of_rule(alternative) {
            return vec![permission_rule(event, alternative, tool, place)];
        }
    }
    match Matcher::new(text, event) {
        Matcher::All => Vec::new(),
        Matcher::Names(_) => names(event, text),
        Matcher::Regex(_) => match matcher::pattern(text) {
            Ok(_) => regex(event, text),
            Err(err) => vec![invalid_regex(text, &err)],
        },
    }
}

/// A list of whole names.
fn names(event: &Event, text: &str) -> Vec<Fault> {
    let parts: Vec<&str> = text.split(['|', ',']).map(str::trim).collect();
    if parts.contains(&"") {
        let effect = match parts.iter().all(|part| part.is_empty()) {
            true => Effect::Never,
            false => Effect::Harmless,
        };
        let what = format!("an alternative of `{text}` is empty, and matches nothing");
        return vec![Fault::new(effect, what, "remove the separator next to it")];
    }
    parts
        .iter()
        .filter_map(|name| listed_name(event, name, &parts))
        .collect()
}

/// Finds the fault of a name in a list; `all` are the names that are listed.
fn listed_name(event: &Event, name: &str, all: &[&str]) -> Option<Fault> {
    if name.contains(' ') {
        let separated: Vec<&str> = name.split_whitespace().collect();
        // The name of an agent or a server may have one, after all.
        let effect = match event.matcher_target {
            MatcherTarget::Field {
                values: Values::Any, ..
            }
            | MatcherTarget::Model => Effect::Harmless,
            _ => Effect::Never,
        };
        return Some(Fault::new(
            effect,
            format!("`{name}` is one name with a blank in it, and matches nothing"),
            format!("for several names write `{}`", separated.join("|")),
        ));
    }
    let (field, values) = match event.matcher_target {
        MatcherTarget::ToolName => return tool_name(name, all).or_else(|| server_name(name)),
        MatcherTarget::Field { name, values } => (name, values),
        _ => return None,
    };
    let (known, is_closed) = match values {
        Values::Any => return None,
        Values::Known(known) => (known, false),
        Values::Only(known) => (known, true),
    };
    if known.contains(&name) {
        return None;
    }
    let meant = near(name, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
    let fix = match (meant, is_closed) {
        (None, false) => return None,
        (Some(meant), false) => meant,
        (None, true) => format!("it is {}", or_list(known, "or")),
        (Some(meant), true) => format!("{meant} It is {}", or_list(known, "or")),
    };
    let what = format!("the `{field}` of {} is never `{name}`", event.name);
    Some(Fault::new(Effect::Never, what, fix).unless_meant())
}

/// A name that no tool has, but looks like one that some tool has or had. `all` are the names that are listed.
fn tool_name(name: &str, all: &[&str]) -> Option<Fault> {
    if tool_names().any(|known| known == name) || name.starts_with("mcp__") {
        return None;
    }
    if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == name) {
        return Some(gone(name, *successor, all));
    }
    let meant = near(name, tool_names())?;
    let what = format!("`{name}` matches no tool");
    Some(Fault::new(Effect::Never, what, format!("did you mean `{meant}`?")).unless_meant())
}

/// What to do about a tool that is gone.
pub(super) fn gone(name: &str, successor: Option<&str>, all: &[&str]) -> Fault {
    let fix = match successor {
        Some(successor) if !all.contains(&successor) => format!("write `{successor}`"),
        _ => "remove it".to_owned(),
    };
    let is_replaced = successor.is_none_or(|successor| all.contains(&successor));
    let effect = match all.len() > 1 && is_replaced {
        true => Effect::Harmless,
        false => Effect::Never,
    };
    Fault::new(effect, format!("the client has no tool `{name}` any more"), fix).unless_meant()
}

fn permission_rule(event: &Event, rule: &str, tool: &str, place: Place) -> Fault {
    let fix = match (place, event.matcher_target) {
        (Place::Attribute, MatcherTarget::ToolName) if tool::COMPARED.contains(&tool) => {
            let fix = format!("write `matcher = \"{tool}\", if = \"{rule}\"`");
            return Fault::new(Effect::Never, format!("`{rule}` is a permission rule"), fix);
        }
        (Place::Settings, MatcherTarget::ToolName) if tool::COMPARED.contains(&tool) => {
            format!("write `\"matcher\": \"{tool}\"`, and `\"if\": \"{rule}\"` in the hook")
        }
        (Place::Attribute, _) => format!("write `{tool}`, and look at the input in the function"),
        (Place::Settings, _) => format!("write `{tool}`, and look at the input in the hook's program"),
    };
    Fault::new(
        Effect::Never,
        format!("`{rule}` is a permission rule, and matches nothing"),
        fix,
    )
}

/// Whether a tool is named behind a server's name.
pub(super) fn has_tool(server: &str) -> bool {
    server.split_once("__").is_some_and(|(_, tool)| !tool.is_empty())
}

/// The name of a server, where that of a tool should stand.
fn server_name(name: &str) -> Option<Fault> {
    let server = name.strip_prefix("mcp__").filter(|server| !has_tool(server))?;
    let all = match server.trim_end_matches('_') {
        "" => "`mcp__.*` for all tools of all servers".to_owned(),
        server => format!("`mcp__{server}__.*` for all tools of the server"),
    };
    Some(Fault::new(
        Effect::Never,
        format!("`{name}` names no tool, and a list is compared with whole names"),
        format!("write {all}"),
    ))
}

/// An unanchored regular expression.
fn regex(event: &Event, text: &str) -> Vec<Fault> {
    if let [first, .., last] = &alternatives(text)[..]
        && first.starts_with('^')
        && !first.trim_end().ends_with('$')
        && last.ends_with('$')
        && !last.trim_start().starts_with('^')
    {
        let bare = text.trim_start_matches('^').trim_end_matches('$');
        let what = format!("in `{text}` the `^` is that of `{first}` alone, and the `$` that of `{last}`");
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
            let what = format!("`{text}` is a regular expression, in which a comma separates nothing");
            return vec![Fault::new(effect, what, "write `|`").unless_meant()];
        }
    }
    match event.matcher_target {
        MatcherTarget::ToolName => tool_regex(text, &alternatives),
        MatcherTarget::Field {
            name: field,
            values: Values::Only(values),
        } => {
            let is_reached = |alternative: &&String| values.iter().any(|value| matches(alternative, value));
            let never = alternatives.iter().filter(|alternative| !is_reached(alternative));
            let faults = never.map(|alternative| {
                let what = format!("the `{field}` of {} is never like `{alternative}`", event.name);
                let fix = format!("it is {}", or_list(values, "or"));
                Fault::new(Effect::Never, what, fix).unless_meant()
            });
            faults.collect()
        }
        _ => Vec::new(),
    }
}

/// An alternative of an expression with nothing in it, which matches everything unless it is anchored at both ends.
fn empty_alternative(event: &Event, text: &str) -> Option<Fault> {
    let is_anchored = |alternative: &String| alternative.starts_with('^') && alternative.ends_with('$');
    let alternatives = flattened(text).into_iter();
    let empty: Vec<String> = alternatives
        .filter(|alternative| alternative.trim_matches(['^', '$']).is_empty())
        .collect();
    let (effect, does) = match (empty.iter().all(is_anchored), event.matcher_target) {
        _ if empty.is_empty() => return None,
        (true, _) => (Effect::Harmless, " and matches nothing"),
        (false, MatcherTarget::ToolName) => (Effect::More, ", so that it matches every tool"),
        (false, _) => (Effect::More, ", so that it matches everything"),
    };
    let what = format!("an alternative of the regular expression `{text}` is empty{does}");
    Some(Fault::new(effect, what, as_meant(event, text)))
}

/// The edit that leaves an expression with its alternatives that say something, without blanks around them.
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
    // Nothing is left to do for what comes out as it went in, so that it ends.
    let is_sound = !parts.is_empty() && meant != text && matcher(event, &meant, Place::Settings).is_empty();
    let has_rule = alternatives(text).into_iter().any(|part| tool_of_rule(part).is_some());
    match (is_sound, has_rule) {
        (true, false) => format!("write `{meant}`"),
        (true, true) => format!("write `{meant}`, and look at the input in the hook's program"),
        (false, _) => "write the names with one `|` between them, and no blanks".to_owned(),
    }
}

/// An alternative without its blanks; the name alone where that is anchored, compared or has a rule behind it.
fn part_as_meant(alternative: &str) -> String {
    let part = alternative.trim();
    let is_whole = !part.starts_with('^') || part.ends_with('$');
    let whole = || is_whole.then(|| bare(part).trim()).filter(|name| is_name(name));
    let name = tool_of_rule(part).or_else(|| compared(part)).or_else(whole);
    name.unwrap_or(part).to_owned()
}

/// The name in a comparison such as `tool == "Edit"`, which no matcher is.
fn compared(text: &str) -> Option<&str> {
    let (variable, value) = text.split_once("==")?;
    let value = value.trim_start_matches('=').trim();
    let name = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))?;
    (is_name(variable.trim()) && is_name(name) && !name.is_empty()).then_some(name)
}

/// Whether an expression matches any value that is known.
fn reaches(event: &Event, text: &str) -> bool {
    match event.matcher_target {
        MatcherTarget::ToolName => tool_names().any(|name| matches(text, name)),
        MatcherTarget::Field {
            values: Values::Only(values) | Values::Known(values),
            ..
        } => values.iter().any(|value| matches(text, value)),
        _ => false,
    }
}

fn tool_regex(text: &str, alternatives: &[String]) -> Vec<Fault> {
    let is_everything = |text: &str| !text.contains(|char: char| char.is_alphanumeric());
    if !is_everything(text)
        && ["Zq", "zq_mcp__z__z"]
            .iter()
            .chain(tool::BUILT_IN)
            .all(|name| matches(text, name))
    {
        let what = format!("`{text}` is a regular expression that matches each tool there is");
        return vec![Fault::new(Effect::More, what, "write `*`, or what you mean").unless_meant()];
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
            faults.extend(tool_name(bare(alternative), &names));
        } else if !may_be_of_mcp(alternative) && !tool_names().any(|name| matches(alternative, name)) {
            let lower = alternative.to_lowercase();
            let meant = tool_names().find(|name| matches(&lower, &name.to_lowercase()));
            let hint = match (compared(alternative), meant) {
                (Some(name), _) => format!("write `{name}`"),
                (None, Some(name)) => format!("upper and lower case differ in `{name}`"),
                (None, None) => "write the names of tools, with `|` between them".to_owned(),
            };
            let what = format!("`{alternative}` is a regular expression that matches none of the client's tools");
            faults.push(Fault::new(Effect::Never, what, hint).unless_meant());
        }
    }
    faults.extend(
        alternatives
            .iter()
            .filter_map(|alternative| matches_more(text, alternative, alternatives)),
    );
    faults
}

/// What is not bare of syntax makes a list an expression, in which each name matches wherever it is contained.
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
    let fix = format!("write `^{name}$` for the one, or `{name}.*` for all");
    Some(Fault::new(Effect::More, what, fix))
}

/// An alternative without its anchors.
fn bare(alternative: &str) -> &str {
    alternative.trim_start_matches('^').trim_end_matches('$')
}

/// Whether it is bare of an expression's syntax.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().all(|char| char.is_alphanumeric() || "_-".contains(char))
}

fn matches(expression: &str, name: &str) -> bool {
    matcher::pattern(expression).is_ok_and(|pattern| pattern.is_match(name))
}

/// Whether an expression may match tools of MCP servers, of which nothing is known: two underscores are theirs.
fn may_be_of_mcp(expression: &str) -> bool {
    let has_other_prefix = expression.contains("mcp_") && !expression.contains("mcp__");
    let has_other_case = expression.to_lowercase().contains("mcp__") && !expression.contains("mcp__");
    expression.contains("__") && !has_other_prefix && !has_other_case
}

/// An expression whose stars are those of a glob, as it was meant.
///
/// `mcp__server__*` matches what its author means, if by chance.
fn as_glob(expression: &str) -> Option<String> {
    if !is_name(&expression.replace('*', "")) || !expression.contains('*') || expression.starts_with('*') {
        return None;
    }
    let by_chance = expression.strip_suffix("__*").is_some_and(|rest| !rest.contains('*'));
    (!by_chance).then(|| expression.replace('*', ".*"))
}

/// Whether a glob's stars, read as an expression's, match what they were to, of all tools that are known.
fn is_as_meant(glob: &str, fixed: &str) -> bool {
    let meant = format!("^{fixed}$");
    tool_names().all(|name| matches(glob, name) == matches(&meant, name))
}

fn invalid_regex(text: &str, err: &matcher::PatternError) -> Fault {
    let mut excerpt = format!("\n\n    {text}");
    if let Some(at) = err.offset() {
        let before = text.get(..at).unwrap_or(text).chars().count();
        excerpt += &format!("\n    {}^", " ".repeat(before));
    }
    let what = format!("this is no valid regular expression, and never matches: {err}");
    Fault {
        excerpt,
        ..Fault::new(
            Effect::Never,
            what,
            "write a valid one, or whole names with `|` between them",
        )
    }
}

/// The tools that a matcher without faults admits, by their current names, as far as they are known.
pub fn admitted(event: &Event, text: &str) -> Vec<String> {
    if event.matcher_target != MatcherTarget::ToolName {
        return Vec::new();
    }
    let matcher = Matcher::new(text, event);
    let built_in = tool::BUILT_IN.iter().filter(|name| matcher.matches(event, name));
    let mut admitted: Vec<String> = built_in.map(|name| (*name).to_owned()).collect();
    if let Matcher::Regex(_) = matcher {
        // One of many, to see whether tools of a server can be decoded at all.
        let example = |alternative: &str| {
            alternative
                .trim_matches(['^', '$'])
                .replace(".*", "x")
                .replace('*', "x")
        };
        let examples = alternatives(text).into_iter().map(example);
        admitted.extend(examples.filter(|name| name.starts_with("mcp__") && is_name(name)));
    }
    if let Matcher::Names(_) = matcher {
        let others = matcher.names().filter(|name| !tool_names().any(|known| known == *name));
        admitted.extend(others.map(str::to_owned));
    }
    admitted
}

/// All names that a matcher for tools is known to match.
pub(super) fn tool_names() -> impl Iterator<Item = &'static str> {
    let old = tool::RENAMED.iter().map(|(old, _)| *old);
    let members = tool::FAMILIES.iter().map(|(member, _)| *member);
    tool::BUILT_IN.iter().copied().chain(old).chain(members)
}

/// The tool of a permission rule, `Tool(…)`, if it is one that there is.
fn tool_of_rule(text: &str) -> Option<&str> {
    let (tool, _) = text.trim().strip_suffix(')')?.split_once('(')?;
    // `Task(Create|Update)` may look like one, and is an expression.
    let is_expression = matcher::pattern(text).is_ok_and(|pattern| tool_names().any(|name| pattern.is_match(name)));
    (tool_names().any(|name| name == tool) && !is_expression).then_some(tool)
}

/// The alternatives of an expression, and in place of one that is a group those of the group, with the group's anchors.
fn flattened(text: &str) -> Vec<String> {
    let each = alternatives(text).into_iter().flat_map(|alternative| {
        let start = &alternative[..alternative.len() - alternative.trim_start_matches('^').len()];
        let end = &alternative[alternative.trim_end_matches('$').len().max(start.len())..];
        let inner = &alternative[start.len()..alternative.len() - end.len()];
        match group(inner) {
            Some(inner) => {
                let with_anchors = |alternative: String| {
                    let start = if alternative.starts_with('^') { "" } else { start };
                    let end = if alternative.ends_with('$') { "" } else { end };
                    format!("{start}{alternative}{end}")
                };
                flattened(inner).into_iter().map(with_anchors).collect()
            }
            None => vec![alternative.to_owned()],
        }
    });
    each.collect()
}

/// What stands in the group that the expression is, if it is one and nothing else.
fn group(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    // Other groups that begin so look around, or have a name.
    let inner = inner.strip_prefix("?:").unwrap_or(inner);
    if inner.starts_with('?') {
        return None;
    }
    let closes = closes_more_than_it_opens(syntax(inner).map(|(_, char)| char));
    (!closes && !inner.ends_with('\\')).then_some(inner)
}

/// Returns whether a parenthesis closes that none before it opens.
pub(super) fn closes_more_than_it_opens(mut text: impl Iterator<Item = char>) -> bool {
    let mut depth = 0_i32;
    text.any(|char| {
        depth += match char {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth < 0
    })
}

/// The parts of an expression between those `|` that stand in no group and no class.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, char) in syntax(text) {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_end_where_the_expression_s_do() {
        for (text, parts) in [
            ("Edit", &["Edit"][..]),
            ("Edit|Write.*", &["Edit", "Write.*"]),
            ("(a|b)|[|]|\\|", &["(a|b)", "[|]", "\\|"]),
            ("|a", &["", "a"]),
        ] {
            assert_eq!(alternatives(text), parts, "{text}");
        }
    }

    #[test]
    fn a_group_stands_for_its_alternatives() {
        for (text, parts) in [
            ("^(a|b)$", &["^a$", "^b$"][..]),
            ("(?:a|(b|^c))|d", &["a", "b", "^c", "d"]),
            ("(a|b)x|(c)(d)", &["(a|b)x", "(c)(d)"]),
            ("^(a|)$", &["^a$", "^$"]),
            ("(?!a|b)", &["(?!a|b)"]),
            ("(a\\)", &["(a\\)"]),
            ("^", &["^"]),
            ("()", &[""]),
        ] {
            assert_eq!(flattened(text), parts, "{text}");
        }
    }

    #[test]
    fn what_matches_more_than_it_seems_to_is_refused_and_what_does_not_is_not() {
        use crate::event::{NOTIFICATION, PRE_TOOL_USE, SESSION_START};
        let faults = |event: &Event, text: &str| matcher(event, text, Place::Attribute).len();
        for text in [
            "Edit$|Write$",
            "(Edit|Write)$",
            "(Edit$|Write$)",
            "(^Edit|Write$)",
            "^Read",
            "^(Read|Task)",
            "(?:Edit|Write)",
            "((Edit|Write))",
            "(Edit|Write|mcp__a__.*)",
            "(mcp__a__.*|)",
            "(?:Edit|)",
            "(Edit)?",
            "(Bash)*",
            "(^Edit$|)",
            "Bash|(x)?",
            "Edit|Write|$",
            "Edit|^",
            "(?:)",
            "(?!Bash)",
            "^(?:Edit|Wirte)$",
            "^(Edit|Wirte|mcp__.*)$",
            "^((Edit|))$",
            "^(?:Edit|)$|Bash",
        ] {
            assert!(faults(&PRE_TOOL_USE, text) > 0, "{text}");
        }
        for text in [
            ".*",
            "^.*$",
            ".+",
            "^(Edit|Write)$",
            "^(?:Edit|Write|mcp__files__.*)$",
            "Bash.*",
            "Task(Create|Update)",
            "mcp__.*",
            "mcp__(a|b)__.*",
            "^(?!Bash$).*",
            "Notebook.*|^Edit$",
            "^(Read|Glob|Grep)$",
        ] {
            assert_eq!(faults(&PRE_TOOL_USE, text), 0, "{text}");
        }
        for text in ["(startup|)", "^(startup|resum)$"] {
            assert_eq!(faults(&SESSION_START, text), 1, "{text}");
        }
        assert_eq!(faults(&SESSION_START, "^(startup|resume)$"), 0);
        assert_eq!(faults(&NOTIFICATION, "(idle_prompt|)"), 1);
    }

    #[test]
    fn an_empty_alternative_matches_every_tool_and_what_is_to_be_written_those_that_were_meant() {
        use crate::event::PRE_TOOL_USE;
        for (text, written, tools) in [
            (
                "tool == \"Edit\" || tool == \"Write\"",
                "Edit|Write",
                &["Edit", "Write"][..],
            ),
            (
                "tool_name === 'Edit' || tool_name === 'Write'",
                "Edit|Write",
                &["Edit", "Write"],
            ),
            ("Bash(git *) || Edit", "Bash|Edit", &["Bash", "Edit"]),
            ("^Edit$ || ^Write$", "Edit|Write", &["Edit", "Write"]),
            ("^Edit$||^Write$", "Edit|Write", &["Edit", "Write"]),
            ("Edit.* || Write", "Edit.*|^Write$", &["Edit", "NotebookEdit", "Write"]),
            ("^Note || Read", "^Note|^Read$", &["NotebookEdit", "Read"]),
            ("(Edit|Write|)", "Edit|Write", &["Edit", "Write"]),
            ("Edit|Write|$", "Edit|Write", &["Edit", "Write"]),
        ] {
            let faults = matcher(&PRE_TOOL_USE, text, Place::Settings);
            let [fault] = &faults[..] else {
                panic!("{text}: {faults:?}")
            };
            assert_eq!(fault.effect, Effect::More, "{text}");
            assert!(
                fault.what.ends_with("is empty, so that it matches every tool"),
                "{}",
                fault.what
            );
            assert!(
                fault.fix.starts_with(&format!("write `{written}`")),
                "{text}: {}",
                fault.fix
            );
            let selected = |text| {
                let read = Matcher::new(text, &PRE_TOOL_USE);
                let all = ["Bash", "Edit", "NotebookEdit", "Read", "Write"];
                all.into_iter()
                    .filter(|tool| read.matches(&PRE_TOOL_USE, tool))
                    .collect::<Vec<_>>()
            };
            assert_eq!(selected(text).len(), 5, "{text}");
            assert_eq!(selected(written), tools, "{written}");
        }
        // The same blanks without an empty alternative, and names that no edit of the signs makes right.
        for (text, fix) in [
            ("^Edit$ | ^Write$", "write `Edit|Write`"),
            ("tool == \"Edit\"", "write `Edit`"),
            (
                "/Edit||Write/",
                "write the names with one `|` between them, and no blanks",
            ),
        ] {
            let faults = matcher(&PRE_TOOL_USE, text, Place::Settings);
            let fixes: Vec<String> = faults.into_iter().map(|fault| fault.fix).collect();
            assert_eq!(fixes, [fix], "{text}");
        }
    }

    #[test]
    fn what_comes_of_a_fault_is_known() {
        use crate::event::{FILE_CHANGED, PRE_TOOL_USE, SESSION_START, SUBAGENT_START};
        for (event, text, effect) in [
            (&PRE_TOOL_USE, "", Effect::Harmless),
            (&PRE_TOOL_USE, "Edit|Write|", Effect::Harmless),
            (&PRE_TOOL_USE, "|", Effect::Never),
            (&PRE_TOOL_USE, "Edit|MultiEdit|Write", Effect::Harmless),
            (&PRE_TOOL_USE, "MultiEdit", Effect::Never),
            (&PRE_TOOL_USE, "Write|MultiEdit", Effect::Never),
            (&PRE_TOOL_USE, "Bash Read", Effect::Never),
            (&PRE_TOOL_USE, "bash", Effect::Never),
            (&PRE_TOOL_USE, "Bash(git *)", Effect::Never),
            (&PRE_TOOL_USE, "mcp__srv", Effect::Never),
            (&PRE_TOOL_USE, "Bash(", Effect::Never),
            (&PRE_TOOL_USE, "Notebook*", Effect::Harmless),
            (&PRE_TOOL_USE, "Edit*", Effect::More),
            (&PRE_TOOL_USE, "Edit|Write.*", Effect::More),
            (&PRE_TOOL_USE, "Bash.*|", Effect::More),
            (&PRE_TOOL_USE, " ?Bash", Effect::Harmless),
            (&PRE_TOOL_USE, " Bash$", Effect::Never),
            (&PRE_TOOL_USE, "Bash,*", Effect::Harmless),
            (&PRE_TOOL_USE, "^Bash, Edit$", Effect::Never),
            (&SUBAGENT_START, "my agent", Effect::Harmless),
            (&SESSION_START, "start", Effect::Never),
            (&FILE_CHANGED, ".env,.envrc", Effect::Never),
        ] {
            let faults = matcher(event, text, Place::Settings);
            let effects: Vec<Effect> = faults.iter().map(|fault| fault.effect).collect();
            assert_eq!(effects, [effect], "{text}");
        }
    }
}
