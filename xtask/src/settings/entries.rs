//! Entries in settings: a hook on one of its events, as written, and the entries in a text.

use anyhow::Result;
use hookkit_protocol::agents::{self, Agent, Effect, Form, Part, Said};
use hookkit_protocol::hook::{Declaration, Mode, OnEvent, OnFailure};
use hookkit_protocol::lint::{own_expression, own_name};
use hookkit_protocol::matcher::Matcher;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::agents::commands::{OR_BLOCK, OR_DENY, OR_GO_AHEAD, OR_GO_AHEAD_UNLESS_DENIED};
use crate::binaries::definition::Definition;
use crate::settings::document::Document;
use crate::settings::reading::GROUP_KEYS;
use crate::settings::value::{List, Value};

/// A hook on one of its events, as it is written to settings.
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) handler: Handler,
}

impl Entry {
    /// Returns the entry of a hook on one of its events.
    pub(crate) fn new(on: &OnEvent<String>, handler: Handler) -> Self {
        Self { event: on.event.clone(), matcher: on.matcher.clone(), handler }
    }
}

/// Returns a hook's entries in another agent's file. Each one is awaited.
pub(crate) fn of_agent(agent: &'static Agent, hook: &Definition, command: &str) -> Vec<Entry> {
    let declared = &hook.declared;
    let goes_ahead = [agent.failures.missing, agent.failures.signal].contains(&Effect::GoesAhead);
    let denies = declared.on_failure != OnFailure::Continue && declared.mode == Mode::Awaited;
    let rest = |event: &agents::OnEvent| match denies {
        true if event.name != "PreToolUse" && !agent.blocks_by_code => OR_BLOCK,
        true if goes_ahead => OR_DENY,
        false if [agent.failures.exit_1, agent.failures.missing] == [Effect::GoesAhead; 2] => "",
        false if event.said(Part::Deny) == Some(Said::ExitCode2) => OR_GO_AHEAD_UNLESS_DENIED,
        false => OR_GO_AHEAD,
        true => "",
    };
    let longest = agent.file.longest.unwrap_or(u32::MAX);
    let is_lenient = u32::from(agent.failures.timeout == Effect::GoesAhead);
    let entry = |on: &OnEvent<String>| {
        let facts = on.facts();
        let event = agent.event(&on.event)?;
        let matcher = |text: &String| match facts.map(|event| Matcher::new(text, event)) {
            Some(Matcher::All) => None,
            // An agent may not treat a comma like Claude Code.
            Some(list @ Matcher::Names(_)) => {
                let names = list.names().map(|name| own_name(agent, name));
                Some(names.collect::<Vec<_>>().join("|"))
            }
            _ => own_expression(agent, text),
        };
        // The hook's own timeout must come first if the agent goes ahead after its own.
        let limit = declared.timeout.or(facts.map(|event| event.default_timeout.div_ceil(1000)));
        let timeout = limit.map(|seconds| (seconds + is_lenient).min(longest) * agent.file.units);
        let message = declared.status_message.as_deref().filter(|_| agent.file.form != Form::Toml);
        Some(Entry {
            event: event.own.to_owned(),
            matcher: on.matcher.as_ref().and_then(matcher),
            handler: Handler::of_shell(format!("{command}{}", rest(event)))
                .with("timeout", timeout)
                .with("statusMessage", message),
        })
    };
    hook.entries.iter().filter_map(entry).collect()
}

/// Returns `true` if the client must deny on this event when the hook cannot be started at all.
pub(crate) fn blocks_unstarted(hook: &Declaration<String>, on: &OnEvent<String>) -> bool {
    let blocks = on.facts().is_some_and(|event| hook.on_failure.blocks_in_settings(event));
    blocks && hook.mode == Mode::Awaited
}

/// A command for the client and its options, as ordered members.
pub(crate) struct Handler(pub(crate) Vec<(&'static str, serde_json::Value)>);

impl Handler {
    /// Returns a handler that starts a program with arguments. Even an empty list makes the client start it without a
    /// shell.
    pub(crate) fn with_arguments(command: String, arguments: Vec<String>) -> Self {
        Self::of_shell(command).with("args", Some(arguments))
    }

    /// Returns this command with a hook's options.
    ///
    /// The client supports `onFailure` since 2.1.295. Earlier versions ignore the key.
    pub(crate) fn of_hook(self, hook: &Declaration<String>, blocks: bool) -> Self {
        let of_hook = self
            .with("if", hook.condition.as_deref())
            .with("timeout", hook.timeout)
            .with("statusMessage", hook.status_message.as_deref())
            .with("onFailure", blocks.then_some("block"));
        match hook.mode.key() {
            Some(key) => of_hook.with(key, Some(true)),
            None => of_hook,
        }
    }

    /// Returns a handler for a shell command.
    pub(crate) fn of_shell(command: String) -> Self {
        Self(Vec::new()).with("type", Some("command")).with("command", Some(command))
    }

    /// Returns a handler that calls a service. The service's key is in a variable.
    pub(crate) fn of_service(url: String, key: &str) -> Self {
        Self(Vec::new())
            .with("type", Some("http"))
            .with("url", Some(url))
            .with("headers", Some(json!({"Authorization": format!("Bearer ${{{key}}}")})))
            .with("allowedEnvVars", Some(json!([key])))
    }

    /// Adds a member, unless one with this name exists.
    pub(crate) fn or(self, key: &'static str, value: impl Into<serde_json::Value>) -> Self {
        let is_there = self.0.iter().any(|(name, _)| *name == key);
        self.with(key, (!is_there).then_some(value))
    }

    /// Adds a member if it has a value.
    fn with(mut self, key: &'static str, value: Option<impl Into<serde_json::Value>>) -> Self {
        self.0.extend(value.map(|value| (key, value.into())));
        self
    }
}

impl Serialize for Handler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A handler's keys that hookkit writes.
pub(crate) const HANDLER_KEYS: [&str; 9] =
    ["type", "command", "args", "if", "timeout", "statusMessage", "onFailure", "async", "asyncRewake"];

impl Document {
    /// Returns `true` if these are hookkit's only entries in the text. Keys that the user has added to them do not
    /// count.
    pub(crate) fn has_only(&self, entries: &[Entry], is_ours: impl Fn(&str) -> bool) -> bool {
        let has_ours = |(_, group): &(&str, &Value)| commands(group).any(&is_ours);
        let ours = self.all_groups().filter(has_ours).count();
        ours == entries.len() && entries.iter().all(|entry| self.has(entry))
    }

    /// Returns `true` if the text has an identical entry.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        let expected = group(entry);
        self.all_groups().any(|(event, group)| *event == entry.event && own_part(group) == expected)
    }

    /// Returns the event, the commands, and the part that hookkit writes, for each group.
    pub(crate) fn own_groups(&self) -> impl Iterator<Item = (&str, Vec<&str>, serde_json::Value)> {
        self.all_groups().map(|(event, group)| (event, commands(group).collect(), own_part(group)))
    }

    /// Returns all commands in the text, hookkit's and others.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        self.all_groups().flat_map(|(_, group)| commands(group))
    }

    /// Returns every group, with its event.
    pub(crate) fn all_groups(&self) -> impl Iterator<Item = (&str, &Value)> {
        let hooks = self.hooks().ok().flatten();
        hooks.into_iter().flat_map(|hooks| &hooks.members).flat_map(|member| {
            let groups = member.value.elements().iter();
            groups.map(|group| (&*member.name, group))
        })
    }
}

pub(crate) fn handlers(group: &Value) -> Option<&List> {
    group.as_object()?.get("hooks")?.as_list()
}

pub(crate) fn commands(group: &Value) -> impl Iterator<Item = &str> {
    let handlers = handlers(group).into_iter().flat_map(|list| &list.elements);
    handlers.filter_map(command)
}

pub(crate) fn command(handler: &Value) -> Option<&str> {
    handler.as_object()?.text("command")
}

/// Returns an entry's group in the settings.
pub(crate) fn group(entry: &Entry) -> serde_json::Value {
    serde_json::to_value(Group::new(entry)).unwrap_or_default()
}

/// Returns a group without the keys that hookkit does not write.
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

/// Returns the entries grouped by event, in order.
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

/// A matcher group with a single hook.
#[derive(Serialize)]
pub(crate) struct Group<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'e str>,
    hooks: [&'e Handler; 1],
}

impl<'e> Group<'e> {
    pub(crate) fn new(entry: &'e Entry) -> Self {
        Self { matcher: entry.matcher.as_deref(), hooks: [&entry.handler] }
    }
}
