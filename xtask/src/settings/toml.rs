//! Hooks in TOML: each is a table `[[hooks]]`, which is read like Claude Code's `hooks`.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value as Json;
use toml_edit::{Document, Item, Key, Table, TomlError};

use crate::settings::value::{List, Member, Object, Value};

/// Returns the root of a text, with only its hooks, by event.
pub(super) fn root(text: &str) -> Result<Object, TomlError> {
    let parsed = Document::parse(text)?;
    let hooks = parsed.get("hooks").map(|hooks| match hooks.as_array_of_tables() {
        Some(tables) => Value::Object(by_event(tables.iter(), text)),
        None => Value::Null(hooks.span().unwrap_or_default()),
    });
    let members = hooks.map(|hooks| member("hooks", hooks));
    Ok(Object { range: 0..text.len(), members: members.into_iter().collect() })
}

fn by_event<'t>(tables: impl Iterator<Item = &'t Table>, text: &str) -> Object {
    let mut events = Vec::<(&str, Vec<Value>)>::new();
    for table in tables {
        let event = table.get("event").and_then(Item::as_str).unwrap_or_default();
        let group = group(table, text);
        match events.iter_mut().find(|(known, _)| *known == event) {
            Some((_, groups)) => groups.push(group),
            None => events.push((event, vec![group])),
        }
    }
    let list = |elements| Value::List(List { range: 0..text.len(), elements });
    let members = events.into_iter().map(|(event, groups)| member(event, list(groups)));
    Object { range: 0..text.len(), members: members.collect() }
}

/// Returns a table as Claude Code's matcher group. Its subtables, including those of dotted keys, are not members.
fn group(table: &Table, text: &str) -> Value {
    let range = body(table, text);
    let object = |members| Value::Object(Object { range: range.clone(), members });
    let own = table.iter().filter(|(key, item)| *key != "event" && item.is_value());
    let values = own.map(|(key, item)| Member {
        name_range: table.key(key).and_then(Key::span).unwrap_or_default(),
        ..member(key, value(item))
    });
    let (mut members, values): (Vec<_>, Vec<_>) = values.partition(|member| member.name == "matcher");
    let kind = member("type", Value::Text("command".to_owned(), range.clone()));
    let handler = object([kind].into_iter().chain(values).collect());
    members.push(member("hooks", Value::List(List { range: range.clone(), elements: vec![handler] })));
    object(members)
}

fn member(name: &str, value: Value) -> Member {
    Member { name: name.to_owned(), name_range: value.range(), value }
}

fn value(item: &Item) -> Value {
    let range = item.span().unwrap_or_default();
    match (item.as_str(), item.as_integer()) {
        (Some(text), _) => Value::Text(text.to_owned(), range),
        (_, Some(number)) => Value::Number(number.to_string(), range),
        _ => Value::Null(range),
    }
}

/// Returns the byte range of a table without its subtables: from its header to the end of its last value's line.
fn body(table: &Table, text: &str) -> Range<usize> {
    let header = table.span().unwrap_or_default();
    let last = values(table).into_iter().map(|value| value.end).fold(header.end, usize::max);
    header.start..text[last..].find('\n').map_or(text.len(), |length| last + length + 1)
}

/// Returns the byte ranges of a table's values, including those with dotted keys.
fn values(table: &Table) -> Vec<Range<usize>> {
    let of = |(_, item): (_, &Item)| match item.as_table() {
        Some(inner) if inner.is_dotted() => values(inner),
        Some(_) => Vec::new(),
        None => item.as_value().and_then(|value| value.span()).into_iter().collect(),
    };
    table.iter().flat_map(of).collect()
}

/// A hook's table and its subtables.
pub(super) struct Tables {
    /// The byte range of each, in order. Other tables may be in between.
    pub(super) bodies: Vec<Range<usize>>,
    /// The lines of the first table that have dotted keys, and its comments.
    pub(super) others: Vec<Range<usize>>,
}

/// Returns the tables of the hook whose first table begins at a position.
pub(super) fn tables(text: &str, start: usize) -> Option<Tables> {
    let parsed = Document::parse(text).ok()?;
    let mut hooks = parsed.get("hooks")?.as_array_of_tables()?.iter();
    let hook = hooks.find(|hook| hook.span().is_some_and(|header| header.start == start))?;
    let mut all = vec![hook];
    let mut at = 0;
    while let Some(table) = all.get(at).copied() {
        for (_, item) in table.iter() {
            all.extend(item.as_table());
            all.extend(item.as_array_of_tables().into_iter().flat_map(|tables| tables.iter()));
        }
        at += 1;
    }
    // A table without a header belongs to a dotted key, or to the first part of a header.
    all.retain(|table| !table.is_dotted() && !table.is_implicit());
    let mut bodies: Vec<_> = all.iter().map(|table| body(table, text)).collect();
    bodies.sort_by_key(|body| body.start);
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let dotted = hook.iter().filter_map(|(_, item)| item.as_table().filter(|inner| inner.is_dotted()));
    let dotted = dotted.flat_map(values).map(|value| line_start(value.start)..value.end);
    let mut known = values(hook);
    known.extend(hook.iter().filter_map(|(key, _)| hook.key(key)?.span()));
    Some(Tables { others: dotted.chain(comments(text, body(hook, text), &known)).collect(), bodies })
}

/// Returns the comments in a part of a text: everything after a `#` that is outside these keys and values.
fn comments(text: &str, within: Range<usize>, known: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut at = within.start;
    while let Some(sign) = text[at..within.end].find('#').map(|length| at + length) {
        at = sign + 1;
        if !known.iter().any(|span| span.contains(&sign)) {
            let line = text[sign..within.end].lines().next().unwrap_or_default();
            at = sign + line.len();
            comments.push(sign..sign + line.trim_end().len());
        }
    }
    comments
}

/// Returns `true` if a text equals another one without some hooks, which are next to each other.
pub(super) fn is_without(text: &str, before: &str, hooks: &str) -> bool {
    let parsed = |text| toml_edit::de::from_str::<Json>(text).ok();
    let (Some(mut rest), Some(mut before), Some(mut hooks)) = (parsed(text), parsed(before), parsed(hooks)) else {
        return false;
    };
    let [rest_hooks, all, hooks] = [&mut rest, &mut before, &mut hooks].map(|root| match root["hooks"].take() {
        Json::Array(hooks) => hooks,
        _ => Vec::new(),
    });
    let Some(last) = all.len().checked_sub(hooks.len()) else {
        return false;
    };
    let is_at = |at: usize| {
        let (first, others) = (&all[..at], &all[at + hooks.len()..]);
        all[at..].starts_with(&hooks) && rest_hooks == [first, others].concat()
    };
    // A removed value leaves null in its place.
    rest == before && (0..=last).any(is_at)
}

/// Returns the text that adds groups of events to a text when it is appended.
pub(super) fn appended(text: &str, events: &[(&str, Vec<impl Serialize>)]) -> serde_json::Result<String> {
    let mut added = String::new();
    for (event, group) in events.iter().flat_map(|(event, groups)| groups.iter().map(move |group| (event, group))) {
        let (event, group) = (Json::from(*event), serde_json::to_value(group)?);
        let handler = &group["hooks"][0];
        let values = [
            ("event", &event),
            ("matcher", &group["matcher"]),
            ("command", &handler["command"]),
            ("timeout", &handler["timeout"]),
        ];
        added += "\n[[hooks]]\n";
        for (key, value) in values.into_iter().filter(|(_, value)| !value.is_null()) {
            // A JSON value is also a TOML value.
            added += &format!("{key} = {value}\n");
        }
    }
    let added = match text {
        "" => added.trim_start().to_owned(),
        _ if text.ends_with('\n') => added,
        _ => format!("\n{added}"),
    };
    Ok(if text.contains("\r\n") { added.replace('\n', "\r\n") } else { added })
}
