//! The lints of a matcher, at compile time and later, agree with the values that it matches.

#![no_main]

use arbitrary::Arbitrary;
use hookkit_protocol::event::{EVENTS, Event, MatcherTarget};
use hookkit_protocol::lint::{self, Effect, Origin};
use hookkit_protocol::matcher::{Matcher, pattern};
use hookkit_protocol::tool;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Piece<'a> {
    Tool(u8),
    Old(u8),
    Family(u8),
    Syntax(u8),
    Text(&'a str),
}

const SYNTAX: [&str; 40] = [
    "|", ",", " ", "-", "_", "*", "+", "?", ".", ".*", "^", "$", "(", ")", "(?:", "(?!", "(?=", "(?<=", "(?<n>", "[",
    "]", "[^", "-", "{", "}", "{2}", "{1,3}", "{2,1}", "\\", "\\b", "\\d", "\\k<n>", "\\1", "\\u0041", "\\u{2}",
    "[1m]", "[2M]", "mcp__", "__", "\u{1f600}",
];

impl Piece<'_> {
    fn text(&self) -> &str {
        let of = |list: &[(&'static str, &'static str)], at: &u8| list[usize::from(*at) % list.len()].0;
        match self {
            Self::Tool(at) => tool::BUILT_IN[usize::from(*at) % tool::BUILT_IN.len()],
            Self::Old(at) => of(tool::RENAMED, at),
            Self::Family(at) => of(tool::FAMILIES, at),
            Self::Syntax(at) => SYNTAX[usize::from(*at) % SYNTAX.len()],
            Self::Text(text) => text,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    event: u8,
    matcher: Vec<Piece<'a>>,
    target: Piece<'a>,
}

fuzz_target!(|input: Input<'_>| {
    let text: String = input.matcher.iter().map(Piece::text).collect();
    let event = EVENTS[usize::from(input.event) % EVENTS.len()];
    let matcher = Matcher::new(&text, event);
    classifies(event, &text, matcher);
    const_and_runtime_agree(event, matcher, input.target.text());
    if let Matcher::Regex(text) = matcher {
        compiles(text);
        // Both engines backtrack: nested repetitions take exponential time.
        if is_costly(text) {
            return;
        }
        matches_as_regex(text, input.target.text());
    }
    let targets = tool::BUILT_IN
        .iter()
        .copied()
        .chain([input.target.text(), "startup", ""]);
    for target in targets {
        if matcher.matches(event, target) {
            let holds = matcher.admits(event.matcher_target, target);
            assert!(holds, "a hook's own check is stricter: {target}");
        }
    }
    lints_agree(event, &text, matcher);
});

/// Returns `true` if an expression may take exponential time.
fn is_costly(text: &str) -> bool {
    text.matches(['*', '+', '?', '{']).count() > 3 || text.len() > 200
}

/// Checks that a matcher is a list if and only if it consists of a list's characters.
fn classifies(event: &Event, text: &str, matcher: Matcher<'_>) {
    if event.matcher_target == MatcherTarget::Model {
        return;
    }
    let is_narrow = ["StopFailure", "FileChanged"].contains(&event.name);
    let is_of_list =
        |char: char| char.is_ascii_alphanumeric() || "_|".contains(char) || (!is_narrow && ", -".contains(char));
    let expected = match text {
        "" | "*" => Matcher::All,
        _ if text.chars().all(is_of_list) => Matcher::Names(text),
        _ => Matcher::Regex(text),
    };
    assert_eq!(matcher, expected);
}

/// Checks that the functions for constants agree with the matching at run time.
fn const_and_runtime_agree(event: &Event, matcher: Matcher<'_>, target: &str) {
    let names: Vec<&str> = matcher.names().collect();
    if event.matcher_target == MatcherTarget::Model {
        return;
    }
    let mut first = Vec::new();
    let mut rest = matcher;
    while let Some((tool, others)) = rest.first_tool() {
        first.push(tool);
        rest = others;
    }
    let current: Vec<&str> = names.iter().map(|name| tool::current_name(name)).collect();
    assert_eq!(first, current);
    for target in tool::BUILT_IN.iter().copied().chain([target, "ArtifactData"]) {
        let is_it = |name: &&str| {
            let family = tool::FAMILIES
                .iter()
                .any(|(member, family)| *member == target && family == name);
            family || tool::current_name(name) == target
        };
        assert_eq!(matcher.names_tool(target), names.iter().any(is_it), "{target}");
        let found = matcher.names_others(target);
        assert_eq!(found, names.iter().any(|name| !is_it(name)), "{target}");
        let other = Matcher::Names(target);
        let listed = other
            .names()
            .map(tool::current_name)
            .any(|name| matcher.names_tool(name));
        assert_eq!(matcher.shares_a_name(other), listed, "{target}");
        if let Matcher::Names(_) = matcher
            && event.matcher_target == MatcherTarget::ToolName
        {
            let matches = matcher.matches(event, target);
            assert_eq!(matches, names.iter().any(is_it), "{target}");
        }
    }
}

/// Checks that an expression compiles, or that the offset of its error is within the text.
fn compiles(text: &str) {
    if let Err(err) = pattern(text) {
        let holds = err
            .offset()
            .is_none_or(|at| text.is_char_boundary(at) && at <= text.len());
        assert!(holds, "{err}");
        assert!(!err.to_string().is_empty());
    }
}

/// Checks that an expression with the same meaning in both languages matches the same texts.
fn matches_as_regex(text: &str, target: &str) {
    let is_shared = |char: char| char.is_ascii_alphanumeric() || "_|^$.()*+?, -".contains(char);
    if !text.chars().all(is_shared) || text.contains("(?") || !target.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return;
    }
    let (Ok(ours), Ok(theirs)) = (pattern(text), regex::Regex::new(text)) else {
        return;
    };
    assert_eq!(ours.is_match(target), theirs.is_match(target), "{text} on {target}");
}

/// Checks the lints of a matcher against the tools that it matches.
fn lints_agree(event: &Event, text: &str, matcher: Matcher<'_>) {
    if event.matcher_target == MatcherTarget::Ignored {
        return;
    }
    let faults = |place: Origin| lint::matcher(event, text, place);
    let found = faults(Origin::Settings);
    assert!(found.iter().all(|fault| !fault.to_string().is_empty()));
    let effects = |faults: &[lint::Fault]| faults.iter().map(|fault| fault.effect).collect::<Vec<_>>();
    assert_eq!(effects(&found), effects(&faults(Origin::Attribute)));
    let is_for_tools = event.matcher_target == MatcherTarget::ToolName;
    let admitted: Vec<&str> = tool::BUILT_IN
        .iter()
        .copied()
        .filter(|name| matcher.matches(event, name))
        .collect();
    match matcher {
        Matcher::All => {}
        Matcher::Regex(text) => assert!(
            !found.is_empty() || pattern(text).is_ok(),
            "an expression that never matches"
        ),
        Matcher::Names(_) if is_for_tools => {
            let is_never = found.iter().any(|fault| fault.effect == Effect::Never);
            let is_one = !text.contains(['|', ',']);
            let holds = !(is_one && is_never && !admitted.is_empty());
            assert!(holds, "{found:?}, but it matches {admitted:?}");
        }
        Matcher::Names(_) => {}
    }
    if !found.is_empty() || !is_for_tools {
        return;
    }
    let listed = lint::admitted(event, text);
    let holds = admitted.iter().all(|name| listed.iter().any(|listed| listed == name));
    assert!(holds, "{listed:?}");
    if let Matcher::Names(_) = matcher {
        // Each name of the list is an existing tool or an unknown one.
        for name in matcher.names() {
            let known = tool::is_built_in(tool::current_name(name));
            let is_member = tool::FAMILIES.iter().any(|(member, _)| *member == name);
            let is_admitted = listed.iter().any(|listed| listed == tool::current_name(name));
            assert!(!known || is_admitted, "{name}: {listed:?}");
            let holds = known || is_member || !tool::GONE.iter().any(|(gone, _)| *gone == name);
            assert!(holds, "{name}");
        }
        let is_listed = |tool: &&str| matcher.names_tool(tool);
        assert!(admitted.iter().all(is_listed), "{admitted:?}");
    }
}
