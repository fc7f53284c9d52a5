//! Hooks in TOML: a table `[[hooks]]` for each of them, which is read as Claude Code's `hooks`.

use std::ops::Range;

use serde::Serialize;
use serde_json::Value as Json;
use toml_edit::{Document, Item, Key, Table, TomlError};

use crate::settings::value::{List, Member, Object, Value};

/// Returns the root of a text, with no other member than its hooks by their events.
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

/// Returns the matcher group that a table is for Claude Code.
fn group(table: &Table, text: &str) -> Value {
    let range = range(table, text);
    let object = |members| Value::Object(Object { range: range.clone(), members });
    let values = table.iter().filter(|(key, _)| *key != "event").map(|(key, item)| Member {
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

/// Returns the bytes of a table: from its header to the end of its last line, or to the next table that is not in it.
fn range(table: &Table, text: &str) -> Range<usize> {
    let header = table.span().unwrap_or_default();
    let last = last(table);
    let end = text[last..].find('\n').map_or(text.len(), |length| last + length + 1);
    let mut next = text[header.start..end].match_indices("\n[").map(|(at, _)| header.start + at + 1);
    header.start..next.find(|at| !is_inner(&text[*at..])).unwrap_or(end)
}

/// Returns the end of a table's last value, also of a table in it.
fn last(table: &Table) -> usize {
    let ends = table.iter().map(|(_, item)| item.as_table().map_or(item.span().unwrap_or_default().end, last));
    ends.fold(table.span().unwrap_or_default().end, usize::max)
}

/// Returns `true` for the header of a table in one of the hooks: `[hooks.env]`.
fn is_inner(line: &str) -> bool {
    line.trim_start_matches(['[', ' ', '\t']).starts_with("hooks.")
}

/// Returns `true` if a text begins with values of the table before it, or with a table in that.
pub(super) fn goes_on(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| !line.starts_with('[') || is_inner(line))
}

/// Returns the text that adds groups of events to the end of a text.
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
            // A text in JSON is one in TOML, too.
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
