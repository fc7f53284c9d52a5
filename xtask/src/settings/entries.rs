//! Entries of settings: a hook on one of its events, as it is written, and what a text has of them.

use anyhow::Result;
use jsonc_parser::ast::{Array, Value};
use serde::{Serialize, Serializer};

use crate::settings::document::{Document, Masked, last_member, plain};

/// A hook on one of its events, as it shall stand in the settings.
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) handler: Handler,
}

/// A command for the client, and its options.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Handler {
    pub(crate) r#type: &'static str,
    pub(crate) command: String,
    /// Even an empty list tells the client to start the command without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<[&'static str; 0]>,
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<String>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_message: Option<String>,
    /// The client knows it since 2.1.299, and drops what it does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) on_failure: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) r#async: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) async_rewake: Option<bool>,
}

impl Handler {
    /// Returns one that starts a program by its path.
    pub(crate) fn new(command: String) -> Self {
        Self {
            args: Some([]),
            ..Self::of_shell(command)
        }
    }

    /// Returns one that a shell runs.
    pub(crate) fn of_shell(command: String) -> Self {
        Self {
            r#type: "command",
            command,
            args: None,
            condition: None,
            timeout: None,
            status_message: None,
            on_failure: None,
            r#async: None,
            async_rewake: None,
        }
    }
}

/// The keys of a handler that are ours to write.
pub(crate) const HANDLER_KEYS: [&str; 9] = [
    "type",
    "command",
    "args",
    "if",
    "timeout",
    "statusMessage",
    "onFailure",
    "async",
    "asyncRewake",
];

pub(crate) const GROUP_KEYS: [&str; 2] = ["matcher", "hooks"];

/// Returns whether the text has exactly these entries of ours. Keys that the user added to them do not count.
pub(crate) fn is_current(text: &str, entries: &[Entry], is_ours: impl Fn(&str) -> bool) -> bool {
    let masked = Masked::new(text);
    let Ok(document) = masked.parse() else { return false };
    let groups = groups(&document);
    let has_ours = |group: &Value<'_>| {
        handlers(group).is_some_and(|list| {
            list.elements
                .iter()
                .any(|handler| command(handler).is_some_and(&is_ours))
        })
    };
    let ours = groups.iter().filter(|(_, group)| has_ours(group)).count();
    ours == entries.len() && entries.iter().all(|entry| has_entry(&groups, entry))
}

/// Returns whether the text has an entry just like this one.
pub(crate) fn has(text: &str, entry: &Entry) -> bool {
    Masked::new(text)
        .parse()
        .is_ok_and(|document| has_entry(&groups(&document), entry))
}

/// Returns the group that an entry becomes in the settings.
pub(crate) fn group(entry: &Entry) -> serde_json::Value {
    serde_json::to_value(Group::new(entry)).unwrap_or_default()
}

/// Returns each group of a text, with its event, its commands, and as far as it is ours to write.
pub(crate) fn own_groups(text: &str) -> Vec<(String, Vec<String>, serde_json::Value)> {
    let masked = Masked::new(text);
    let Ok(document) = masked.parse() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (event, group) in groups(&document) {
        let handlers = handlers(group).into_iter().flat_map(|list| &list.elements);
        let commands: Vec<String> = handlers.filter_map(command).map(str::to_owned).collect();
        found.push((event.to_owned(), commands, own_part(group)));
    }
    found
}

/// All commands that the text has the client run, ours or not; none where it does not parse.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let masked = Masked::new(text);
    let Ok(document) = masked.parse() else {
        return Vec::new();
    };
    let groups = groups(&document);
    let handlers = groups.iter().filter_map(|(_, group)| handlers(group));
    let commands = handlers.flat_map(|list| list.elements.iter().filter_map(command));
    commands.map(str::to_owned).collect()
}

/// Every group, with its event.
pub(crate) fn groups<'d, 'a>(document: &'d Document<'a>) -> Vec<(&'d str, &'d Value<'a>)> {
    let hooks = document.hooks().ok().flatten();
    let lists = hooks.into_iter().flat_map(|hooks| &hooks.properties);
    let groups = lists.flat_map(|member| {
        let list = member.value.as_array().into_iter().flat_map(|list| &list.elements);
        list.map(|group| (member.name.as_str(), group))
    });
    groups.collect()
}

pub(crate) fn handlers<'d, 'a>(group: &'d Value<'a>) -> Option<&'d Array<'a>> {
    last_member(group.as_object()?, "hooks")?.as_array()
}

pub(crate) fn command<'d>(handler: &'d Value<'_>) -> Option<&'d str> {
    let command = last_member(handler.as_object()?, "command")?.as_string_lit()?;
    Some(&command.value)
}

fn has_entry(groups: &[(&str, &Value<'_>)], entry: &Entry) -> bool {
    let expected = group(entry);
    groups
        .iter()
        .any(|(event, group)| *event == entry.event && own_part(group) == expected)
}

/// A group without the keys that are not ours to write.
fn own_part(group: &Value<'_>) -> serde_json::Value {
    let mut group = plain(group);
    retain(&mut group, &GROUP_KEYS);
    let handlers = group.get_mut("hooks").and_then(serde_json::Value::as_array_mut);
    for handler in handlers.into_iter().flatten() {
        retain(handler, &HANDLER_KEYS);
    }
    group
}

pub(crate) fn retain(object: &mut serde_json::Value, keys: &[&str]) {
    if let Some(members) = object.as_object_mut() {
        members.retain(|key, _| keys.contains(&key.as_str()));
    }
}

/// The entries as groups, by event, in order.
pub(crate) fn by_event(entries: &[Entry]) -> Vec<(&str, Vec<Group<'_>>)> {
    let mut events: Vec<(&str, Vec<Group<'_>>)> = Vec::new();
    for entry in entries {
        match events.iter_mut().find(|(event, _)| *event == entry.event) {
            Some((_, groups)) => groups.push(Group::new(entry)),
            None => events.push((&entry.event, vec![Group::new(entry)])),
        }
    }
    events
}

/// The value of `hooks`.
pub(crate) struct Events<'e>(pub(crate) &'e [(&'e str, Vec<Group<'e>>)]);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(event, groups)| (event, groups)))
    }
}

/// A matcher group with one hook in it.
#[derive(Serialize)]
pub(crate) struct Group<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'e str>,
    hooks: [&'e Handler; 1],
}

impl<'e> Group<'e> {
    pub(crate) fn new(entry: &'e Entry) -> Self {
        Self {
            matcher: entry.matcher.as_deref(),
            hooks: [&entry.handler],
        }
    }
}
