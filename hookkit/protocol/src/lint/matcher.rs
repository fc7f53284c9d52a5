//! Rules for matchers that do not match what their authors mean. The rules for regular expressions are in `expression`.

mod alternatives;
mod expression;

pub(super) use alternatives::{closes_more_than_it_opens, is_name};

use alternatives::alternatives;

use super::{Effect, Fault, Origin, or_list};
use crate::event::{Event, MatcherTarget, Values};
use crate::matcher::{self, Matcher};
use crate::near;
use crate::tool;

/// Returns the faults of a matcher, on an event that has matchers.
///
/// ```
/// use hookkit_protocol::event::PRE_TOOL_USE;
/// use hookkit_protocol::lint::{self, Origin};
///
/// let faults = lint::matcher(&PRE_TOOL_USE, "Bahs", Origin::Settings);
/// assert_eq!(faults[0].to_string(), "`Bahs` matches no tool; did you mean `Bash`?");
/// ```
pub fn matcher(event: &Event, text: &str, place: Origin) -> Vec<Fault> {
    if text.is_empty() {
        let what = "an empty matcher matches everything";
        return vec![Fault::new(Effect::Harmless, what, "leave it out, or write `*`")];
    }
    // Reported first, even if other alternatives are permission rules.
    if let Matcher::Regex(_) = Matcher::new(text, event)
        && matcher::pattern(text).is_ok()
        && let Some(found) = expression::empty_alternative(event, text)
    {
        return vec![found];
    }
    for alternative in alternatives(text) {
        if let Some(tool) = tool_of_rule(alternative) {
            return vec![permission_rule(event, alternative, tool, place)];
        }
    }
    if event.matcher_target == MatcherTarget::FileName
        && let Some(fault) = text.split('|').find_map(|part| watched(event, text, part.trim()))
    {
        return vec![fault];
    }
    let faults = match Matcher::new(text, event) {
        Matcher::All => Vec::new(),
        Matcher::Names(_) => names(event, text),
        Matcher::Regex(_) => match matcher::pattern(text) {
            Ok(_) => expression::faults(event, text),
            Err(err) => vec![expression::invalid(text, &err)],
        },
    };
    match faults.is_empty() {
        true => of_other_tools(event, text).into_iter().collect(),
        false => faults,
    }
}

/// Returns the fault of a hook without a matcher, on an event whose matcher names the files that the client watches.
pub fn unwatched(event: &Event) -> Fault {
    let what = format!("without a matcher the client watches no file for {}", event.name);
    Fault::new(
        Effect::Never,
        what,
        "write `matcher = \"Makefile|justfile\"`, or `\"*\"` if another hook's answer names the files \
         (`with_watch_paths`)",
    )
}

/// Returns the fault of a part of a matcher that names no file to watch. The client watches each part as the path of a file,
/// and compares the whole matcher with the name of a file that has changed. A backslash in a path does no harm.
fn watched(event: &Event, text: &str, part: &str) -> Option<Fault> {
    const OF_EXPRESSIONS: &[char] = &['^', '$', '*', '+', '?', '(', ')', '[', ']', '{', '}'];
    // A matcher for any file is for those that an answer names.
    let is_for_all = || Matcher::new(text, event).matches(event, "\u{1}");
    if part.contains(OF_EXPRESSIONS) {
        let what = format!("for `{part}` the client watches a file with exactly that name");
        let name = part.trim_matches(['^', '$']).replace('\\', "");
        let fix = match name.contains(OF_EXPRESSIONS) {
            true => "write the names of the files, separated by `|`".to_owned(),
            false => format!("write `{name}`"),
        };
        return (!is_for_all()).then(|| Fault::new(Effect::Never, what, fix).unless_meant());
    }
    let (_, name) = part.rsplit_once('/')?;
    let what = format!("`{part}` never matches: only the name of the file is compared");
    let fix = format!(
        "write `{name}`; if the file is not in the session's folder, return its path in an answer (`with_watch_paths`)"
    );
    Some(Fault::new(Effect::Never, what, fix).unless_meant())
}

/// Returns the fault of a matcher that matches no tool for which the event is raised.
fn of_other_tools(event: &Event, text: &str) -> Option<Fault> {
    let tools = event.only_tools()?;
    let matcher = Matcher::new(text, event);
    (!tools.iter().any(|tool| matcher.matches(event, tool))).then(|| {
        let what = format!("`{text}` matches no tool of {}", event.name);
        Fault::new(Effect::Never, what, format!("write `{}`", tools.join("|")))
    })
}

/// Returns the faults of a list of names.
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
    parts.iter().filter_map(|name| listed_name(event, name, &parts)).collect()
}

/// Returns the fault of a name in a list. `all` has the names of the list.
fn listed_name(event: &Event, name: &str, all: &[&str]) -> Option<Fault> {
    if name.contains(' ') {
        let separated: Vec<&str> = name.split_whitespace().collect();
        // The name of an agent or a server can contain a blank.
        let effect = match event.matcher_target {
            MatcherTarget::Field { values: Values::Any, .. } | MatcherTarget::Model => Effect::Harmless,
            _ => Effect::Never,
        };
        return Some(Fault::new(
            effect,
            format!("`{name}` is one name that contains a blank, and matches nothing"),
            format!("for several names write `{}`", separated.join("|")),
        ));
    }
    let (field, values) = match event.matcher_target {
        MatcherTarget::ToolName => return tool_name(name, all).or_else(|| server_name(name)),
        MatcherTarget::Field { name, values } => (name, values),
        _ => return None,
    };
    let (known, is_closed) = match values {
        Values::Any => return own_agent(name).filter(|_| field == "agent_type"),
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

/// Returns the fault of a name that differs from a built-in agent's only in case (client 2.1.332, in its code).
fn own_agent(name: &str) -> Option<Fault> {
    const OWN: [&str; 3] = ["Explore", "Plan", "general-purpose"];
    let own = OWN.into_iter().find(|own| *own != name && own.eq_ignore_ascii_case(name))?;
    let what = format!("the client's own agent is called `{own}`, not `{name}`");
    Some(Fault::new(Effect::Unknown, what, format!("write `{own}`")).unless_meant())
}

/// Returns the fault of a name that is not the name of a tool. `all` has the names of the list.
fn tool_name(name: &str, all: &[&str]) -> Option<Fault> {
    if tool_names().any(|known| known == name) || name.starts_with("mcp__") {
        return None;
    }
    if let Some((_, successor)) = tool::GONE.iter().find(|(gone, _)| *gone == name) {
        return Some(gone(name, *successor, all));
    }
    let (effect, fix) = match near(name, tool_names()) {
        Some(meant) => (Effect::Never, format!("did you mean `{meant}`?")),
        None => (Effect::Unknown, "write the name of a tool, such as `Bash` or `mcp__SERVER__TOOL`".to_owned()),
    };
    Some(Fault::new(effect, format!("`{name}` matches no tool"), fix).unless_meant())
}

/// Returns the fault of a removed tool, with its fix.
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
    Fault::new(effect, format!("the client no longer has a tool `{name}`"), fix).unless_meant()
}

fn permission_rule(event: &Event, rule: &str, tool: &str, place: Origin) -> Fault {
    let fix = match (place, event.matcher_target) {
        (Origin::Attribute, MatcherTarget::ToolName) if tool::COMPARED.contains(&tool) => {
            let fix = format!("write `matcher = \"{tool}\", if = \"{rule}\"`");
            return Fault::new(Effect::Never, format!("`{rule}` is a permission rule"), fix);
        }
        (Origin::Settings, MatcherTarget::ToolName) if tool::COMPARED.contains(&tool) => {
            format!("write `\"matcher\": \"{tool}\"`, and `\"if\": \"{rule}\"` in the hook")
        }
        (Origin::Attribute, _) => format!("write `{tool}`, and check the input in the function"),
        (Origin::Settings, _) => format!("write `{tool}`, and check the input in the hook's program"),
    };
    Fault::new(Effect::Never, format!("`{rule}` is a permission rule, and matches nothing"), fix)
}

/// Returns `true` if the server's name is followed by `__` and the name of a tool.
pub(super) fn has_tool(server: &str) -> bool {
    server.split_once("__").is_some_and(|(_, tool)| !tool.is_empty())
}

/// Returns the fault of a server's name that is used as a tool's name.
fn server_name(name: &str) -> Option<Fault> {
    let server = name.strip_prefix("mcp__").filter(|server| !has_tool(server))?;
    let all = match server.trim_end_matches('_') {
        "" => "`mcp__.*` for all tools of all servers".to_owned(),
        server => format!("`mcp__{server}__.*` for all tools of the server"),
    };
    Some(Fault::new(
        Effect::Never,
        format!("`{name}` is a server, not the full name of a tool, and matches nothing"),
        format!("write {all}"),
    ))
}

/// Returns the current names of the built-in tools that a matcher without faults matches.
pub fn admitted(event: &Event, text: &str) -> Vec<String> {
    if event.matcher_target != MatcherTarget::ToolName {
        return Vec::new();
    }
    let matcher = Matcher::new(text, event);
    let known = event.only_tools().unwrap_or(tool::BUILT_IN).iter();
    let matched = known.filter(|name| matcher.matches(event, name));
    let mut admitted: Vec<String> = matched.map(|name| (*name).to_owned()).collect();
    if event.only_tools().is_some() {
        return admitted;
    }
    if let Matcher::Regex(_) = matcher {
        // One example is enough to see whether the tools of a server can be decoded at all.
        let example = |alternative: &str| alternative.trim_matches(['^', '$']).replace(".*", "x").replace('*', "x");
        let examples = alternatives(text).into_iter().map(example);
        admitted.extend(examples.filter(|name| name.starts_with("mcp__") && is_name(name)));
    }
    if let Matcher::Names(_) = matcher {
        let others = matcher.names().filter(|name| !tool_names().any(|known| known == *name));
        admitted.extend(others.map(str::to_owned));
    }
    admitted
}

/// Returns all names in the tables that a matcher of tools can match.
pub(super) fn tool_names() -> impl Iterator<Item = &'static str> {
    let old = tool::RENAMED.iter().map(|(old, _)| *old);
    let members = tool::FAMILIES.iter().map(|(member, _)| *member);
    tool::BUILT_IN.iter().copied().chain(old).chain(members)
}

/// Returns the tool of a permission rule, `Tool(…)`, if the tool exists.
fn tool_of_rule(text: &str) -> Option<&str> {
    let (tool, _) = text.trim().strip_suffix(')')?.split_once('(')?;
    // `Task(Create|Update)` may look like one, and is an expression.
    let is_expression = matcher::pattern(text).is_ok_and(|pattern| tool_names().any(|name| pattern.is_match(name)));
    (tool_names().any(|name| name == tool) && !is_expression).then_some(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_that_does_not_match_as_it_seems_to_is_a_fault_with_its_effect() {
        test_support::lines!("lines/matchers.txt").check(|section, text| {
            let event = crate::event::event(section.name).expect("an event");
            let faults = matcher(event, text, Origin::Settings);
            assert_eq!(matcher(event, text, Origin::Attribute).len(), faults.len(), "{text}");
            let effects: Vec<String> = faults.iter().map(|fault| format!("{:?}", fault.effect)).collect();
            if effects.is_empty() { "none".into() } else { effects.join(" ") }
        });
    }

    #[test]
    fn an_empty_alternative_matches_every_tool_and_its_fix_the_intended_ones() {
        use crate::event::PRE_TOOL_USE;
        let selected = |text: &str| {
            let read = Matcher::new(text, &PRE_TOOL_USE);
            let tools = ["Bash", "Edit", "NotebookEdit", "Read", "Write"].into_iter();
            tools.filter(|tool| read.matches(&PRE_TOOL_USE, tool)).collect::<Vec<_>>()
        };
        test_support::lines!("lines/empty-alternatives.txt").check(|_, text| {
            let faults = matcher(&PRE_TOOL_USE, text, Origin::Settings);
            let [fault] = &faults[..] else { panic!("{text}: {faults:?}") };
            let what = fault.what.ends_with("is empty, so it matches every tool");
            assert!(fault.effect == Effect::More && what && selected(text).len() == 5, "{text}: {fault}");
            let written = fault.fix.split('`').nth(1).expect("a matcher");
            format!("{}\t{}", fault.fix, selected(written).join(" "))
        });
        // Like that, but without an empty alternative, and names that have no automatic fix.
        for (text, fix) in [
            ("^Edit$ | ^Write$", "write `Edit|Write`"),
            ("tool == \"Edit\"", "write `Edit`"),
            ("/Edit||Write/", "write the names with one `|` between them, and no blanks"),
        ] {
            let faults = matcher(&PRE_TOOL_USE, text, Origin::Settings);
            let fixes: Vec<String> = faults.into_iter().map(|fault| fault.fix).collect();
            assert_eq!(fixes, [fix], "{text}");
        }
    }
}
