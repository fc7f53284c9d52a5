//! Entries of settings: a hook on one of its events, as it is written, and what a text has of them.

use anyhow::Result;
use hookkit_protocol::hook::{Declaration, Mode, OnEvent};
use serde::{Serialize, Serializer};

use crate::agents::entries as of_agent;
use crate::settings::document::Document;
use crate::settings::value::{List, Value};

/// A hook on one of its events, as it shall be in the settings.
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) handler: Handler,
}

impl Entry {
    /// Returns the entry of a hook on one of its events.
    pub(crate) fn new(on: &OnEvent<String>, handler: Handler) -> Self {
        Self {
            event: on.event.clone(),
            matcher: on.matcher.clone(),
            handler,
        }
    }

    /// Returns an entry of a hook in another agent's file, which waits for each.
    pub(crate) fn of_agent(entry: of_agent::Entry, hook: &Declaration<String>) -> Self {
        Self {
            event: entry.event.to_owned(),
            matcher: entry.matcher,
            handler: Handler {
                timeout: entry.timeout,
                r#async: None,
                ..Handler::of_shell(entry.command).of_hook(hook, false)
            },
        }
    }
}

/// Returns `true` if the client shall deny on this event if the hook cannot even be started.
pub(crate) fn blocks_unstarted(hook: &Declaration<String>, on: &OnEvent<String>) -> bool {
    let blocks = on
        .facts()
        .is_some_and(|event| hook.on_failure.blocks_in_settings(event));
    blocks && hook.mode == Mode::Awaited
}

/// A command for the client, and its options.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Handler {
    pub(crate) r#type: &'static str,
    pub(crate) command: String,
    /// Even an empty list makes the client start the command without a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) args: Option<Vec<String>>,
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<String>,
    /// In seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status_message: Option<String>,
    /// The client knows it since 2.1.295, and drops what it does not know.
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
            args: Some(Vec::new()),
            ..Self::of_shell(command)
        }
    }

    /// Returns one that starts a program with one argument.
    pub(crate) fn with_argument(command: String, argument: String) -> Self {
        Self {
            args: Some(vec![argument]),
            ..Self::of_shell(command)
        }
    }

    /// Returns this command with the options of a hook.
    pub(crate) fn of_hook(self, hook: &Declaration<String>, blocks: bool) -> Self {
        Self {
            condition: hook.condition.clone(),
            timeout: hook.timeout,
            status_message: hook.status_message.clone(),
            on_failure: blocks.then_some("block"),
            r#async: (hook.mode == Mode::Async).then_some(true),
            async_rewake: (hook.mode == Mode::AsyncRewake).then_some(true),
            ..self
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
    "type", "command", "args", "if", "timeout", "statusMessage", "onFailure", "async", "asyncRewake",
];

pub(crate) const GROUP_KEYS: [&str; 2] = ["matcher", "hooks"];

impl Document {
    /// Returns whether the text has exactly these entries of ours. Keys that the user added to them do not count.
    pub(crate) fn has_only(&self, entries: &[Entry], is_ours: impl Fn(&str) -> bool) -> bool {
        let has_ours = |group: &Value| {
            let handlers = handlers(group).into_iter().flat_map(|list| &list.elements);
            handlers.filter_map(command).any(&is_ours)
        };
        let ours = self.all_groups().filter(|(_, group)| has_ours(group)).count();
        ours == entries.len() && entries.iter().all(|entry| self.has(entry))
    }

    /// Returns whether the text has an entry just like this one.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let expected = group(entry);
        self.all_groups()
            .any(|(event, group)| *event == entry.event && own_part(group) == expected)
    }

    /// Returns each group, with its event, its commands, and as far as it is ours to write.
    pub(crate) fn own_groups(&self) -> impl Iterator<Item = (&str, Vec<&str>, serde_json::Value)> {
        self.all_groups().map(|(event, group)| {
            let handlers = handlers(group).into_iter().flat_map(|list| &list.elements);
            (event, handlers.filter_map(command).collect(), own_part(group))
        })
    }

    /// Returns all commands that the text has the client run, ours or not.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        let handlers = self.all_groups().filter_map(|(_, group)| handlers(group));
        handlers.flat_map(|list| list.elements.iter().filter_map(command))
    }

    /// Returns every group, with its event.
    pub(crate) fn all_groups(&self) -> impl Iterator<Item = (&str, &Value)> {
        let hooks = self.hooks().ok().flatten();
        let lists = hooks.into_iter().flat_map(|hooks| &hooks.members);
        lists.flat_map(|member| {
            let list = member.value.as_list().into_iter().flat_map(|list| &list.elements);
            list.map(|group| (member.name.as_str(), group))
        })
    }
}

pub(crate) fn handlers(group: &Value) -> Option<&List> {
    group.as_object()?.get("hooks")?.as_list()
}

pub(crate) fn command(handler: &Value) -> Option<&str> {
    handler.as_object()?.text("command")
}

/// Returns the group that an entry becomes in the settings.
pub(crate) fn group(entry: &Entry) -> serde_json::Value {
    serde_json::to_value(Group::new(entry)).unwrap_or_default()
}

/// Returns a group without the keys that are not ours to write.
fn own_part(group: &Value) -> serde_json::Value {
    let mut group = group.plain();
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

/// Returns the entries as groups, by event, in order.
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
