//! An `if` is parsed by the documented rules, in a time that grows with its length.

#![no_main]

use std::time::{Duration, Instant};

use arbitrary::Arbitrary;
use hookkit::Json;
use hookkit::permission::PermissionUpdate;
use hookkit_protocol::event::PRE_TOOL_USE;
use hookkit_protocol::lint::{self, Effect, Origin, condition, tool_of_condition};
use hookkit_protocol::matcher::Matcher;
use hookkit_protocol::tool;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Tool<'a> {
    BuiltIn(u8),
    Old(u8),
    Gone(u8),
    Text(&'a str),
}

impl Tool<'_> {
    fn text(&self) -> &str {
        match self {
            Self::BuiltIn(at) => tool::BUILT_IN[usize::from(*at) % tool::BUILT_IN.len()],
            Self::Old(at) => tool::RENAMED[usize::from(*at) % tool::RENAMED.len()].0,
            Self::Gone(at) => tool::GONE[usize::from(*at) % tool::GONE.len()].0,
            Self::Text(text) => text,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    tool: Tool<'a>,
    content: Option<&'a str>,
    /// The whole `if`, in place of `tool` and `content`.
    text: Option<&'a str>,
    matcher: Option<Vec<Tool<'a>>>,
    repeat: u16,
    update: Update<'a>,
}

/// A permission update, in the client's form.
#[derive(Arbitrary, Debug)]
struct Update<'a> {
    kind: u8,
    rules: Vec<(&'a str, Option<&'a str>)>,
    behavior: &'a str,
    destination: &'a str,
}

fuzz_target!(|input: Input<'_>| {
    let tool = input.tool.text();
    let text = match (input.text, input.content) {
        (Some(text), _) => text.to_owned(),
        (None, Some(content)) => format!("{tool}({content})"),
        (None, None) => tool.to_owned(),
    };
    if input.text.is_none() && !tool.contains('(') {
        assert_eq!(tool_of_condition(&text), tool::current_name(tool));
    }
    let names = input
        .matcher
        .as_ref()
        .map(|names| names.iter().map(Tool::text).collect::<Vec<_>>().join("|"));
    let matcher = names
        .as_deref()
        .filter(|names| Matcher::new(names, &PRE_TOOL_USE) == Matcher::Names(names));
    let settings = condition(&PRE_TOOL_USE, &text, matcher, Origin::Settings);
    let attribute = condition(&PRE_TOOL_USE, &text, matcher, Origin::Attribute);
    let effect = |result: &Result<(), lint::Fault>| result.as_ref().err().map(|fault| fault.effect);
    assert_eq!(effect(&settings), effect(&attribute));
    assert_eq!(effect(&settings), expected(&text, matcher), "{settings:?}");
    if let Err(fault) = &settings {
        assert!(!fault.to_string().is_empty());
    }
    grows_with_the_text(&text, usize::from(input.repeat));
    update(&input.update);
});

/// Returns the effect of an `if` by the documented rules.
fn expected(text: &str, matcher: Option<&str>) -> Option<Effect> {
    if text.trim().is_empty() {
        return Some(Effect::Harmless);
    }
    let (name, content) = match text.find('(') {
        Some(at) if text.ends_with(')') => (&text[..at], &text[at + 1..text.len() - 1]),
        Some(_) => return Some(Effect::Never),
        None => (text, ""),
    };
    let mut open = 0;
    for char in content.chars() {
        open += i32::from(char == '(') - i32::from(char == ')');
        if open < 0 {
            return Some(Effect::Never);
        }
    }
    let current = tool::current_name(name);
    let is_member = tool::FAMILIES.iter().any(|(member, _)| *member == name);
    let is_known = tool::is_built_in(current) || is_member;
    let is_gone = tool::GONE.iter().any(|(gone, _)| *gone == name);
    let is_one = match name.strip_prefix("mcp__") {
        Some(server) => {
            let tool = server.find("__").map_or("", |at| &server[at + 2..]);
            !tool.is_empty() && !name.contains(['*', '|', ','])
        }
        None => {
            let names = tool::BUILT_IN.iter().copied();
            let old = tool::RENAMED.iter().chain(tool::FAMILIES).map(|(name, _)| *name);
            let is_slip = !is_known && hookkit_protocol::near(name, names.chain(old)).is_some();
            let is_name = name
                .chars()
                .all(|char| char.is_alphanumeric() || char == '_' || char == '-');
            is_known || (is_name && !is_gone && !is_slip)
        }
    };
    let is_compared = tool::COMPARED.contains(&current) || !(is_known && !is_member || name.starts_with("mcp__"));
    if !is_one || (!is_compared && !matches!(content, "" | "*")) {
        return Some(Effect::Never);
    }
    let others = |names: &str| {
        let names = Matcher::new(names, &PRE_TOOL_USE);
        let is_other = |listed: &str| tool::current_name(listed) != current;
        !names.matches(&PRE_TOOL_USE, current) || names.names().any(is_other)
    };
    matcher.is_some_and(others).then_some(Effect::Never)
}

/// Checks that a text that is sixteen times as long takes less than a hundred times as long.
fn grows_with_the_text(text: &str, repeat: usize) {
    // Most inputs skip this check, since it is slow.
    if text.is_empty() || repeat % 256 != 7 {
        return;
    }
    let short = text.repeat(1 + 200 / text.len());
    let time = |text: &str| {
        let start = Instant::now();
        for text in [text, &format!("Bash({text})")] {
            let _ = condition(&PRE_TOOL_USE, text, Some("Bash"), Origin::Settings);
        }
        start.elapsed()
    };
    // The fastest of five runs: other processes may slow down the others.
    let time = |text: &str| (0..5).map(|_| time(text)).min().unwrap_or_default();
    let before = time(&short);
    let after = time(&short.repeat(16));
    let holds = after < Duration::from_millis(200) || after < before * 100;
    assert!(holds, "{before:?}, then {after:?}: {text}");
}

/// Checks that a permission update is serialized as it was read.
fn update(update: &Update<'_>) {
    let kinds = [
        "addRules", "replaceRules", "removeRules", "setMode", "addDirectories", "removeDirectories", "other",
    ];
    let rule = |(tool, content): &(&str, Option<&str>)| match content {
        Some(content) => serde_json::json!({"toolName": tool, "ruleContent": content}),
        None => serde_json::json!({"toolName": tool}),
    };
    let mut written = serde_json::json!({
        "type": kinds[usize::from(update.kind) % kinds.len()],
        "destination": update.destination,
    });
    match written["type"].as_str() {
        Some("setMode") => written["mode"] = update.behavior.into(),
        Some("addDirectories" | "removeDirectories") => {
            written["directories"] = update.rules.iter().map(|(name, _)| *name).collect();
        }
        _ => {
            written["rules"] = update.rules.iter().map(rule).collect();
            written["behavior"] = update.behavior.into();
        }
    }
    let json = Json::encode(&written).unwrap_or_else(|err| panic!("{err}"));
    let read: PermissionUpdate = json.decode().unwrap_or_else(|err| panic!("{err}: {json:?}"));
    let is_other = matches!(read, PermissionUpdate::Other(_));
    assert_eq!(is_other, written["type"] == "other");
    let again = serde_json::to_value(&read).unwrap_or_else(|err| panic!("{err}"));
    assert_eq!(again, written);
}
