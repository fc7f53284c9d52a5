//! The user's settings file: a pure edit, from text to text.
//!
//! An edit inserts our bytes at positions and moves no other byte.
//! What was inserted is recorded, so that taking it out again gives back the text as it was, whatever else was edited in
//! between.
//! Where the record does not fit any more (another program wrote the file anew), entries are known by their command, and
//! go together with the containers that they leave empty and that were [made](Made) for them.
//!
//! A key that somebody adds to an entry of ours stays as long as the entry does.
//! When the entry goes, or is written anew, the key goes with it, and [`Removed::lost`] says so.
//!
//! A text is refused where nobody can tell where our entries should go ([`document::Refusal`]).
//! What Claude Code would drop of a text that can be edited is another question: [`findings`] answers it, and `install`
//! asks it before it writes.

mod check;
mod document;
#[cfg(fuzzing)]
pub mod fuzzing;
mod mended;
mod muted;
mod removal;
mod standing;
mod style;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Result, bail};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use serde::{Deserialize, Serialize, Serializer};

pub(crate) use check::{Finding, Loss, findings, listed};
use document::{Document, Masked};
pub(crate) use document::{Places, Position, Refusal, decoded};
pub(crate) use mended::{Edit, mended};
pub(crate) use muted::{Handler as Heard, Stand, muted};
pub(crate) use removal::remove;
pub(crate) use standing::{Key, Part, Standing, read};
use style::{Container, Insertion, Member};

/// A hook on one of its events, as it shall stand in the settings.
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) handler: Handler,
}

/// What the client is to run, and how.
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
const HANDLER_KEYS: [&str; 9] = [
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
const GROUP_KEYS: [&str; 2] = ["matcher", "hooks"];

/// An edited text, and what was inserted to make it.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) text: String,
    pub(crate) inserted: Inserted,
}

/// What was inserted into a text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inserted(Vec<Piece>);

/// A text that was inserted in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Piece {
    /// What it was inserted into: this was there before.
    within: Within,
    text: String,
    /// The events whose lists came with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    events: Vec<String>,
    /// The comma before it was inserted, too, before a comment.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    comma: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Within {
    Settings,
    Hooks,
    /// The list of this event.
    Event(String),
}

impl Inserted {
    /// Whether all of it is in a text, as it was inserted. Nothing is nowhere.
    pub(crate) fn stands_in(&self, text: &str) -> bool {
        let stands =
            |piece: &Piece| container(text, &piece.within).is_some_and(|within| text[within].contains(&piece.text));
        !self.0.is_empty() && self.0.iter().all(stands)
    }

    /// The groups in it, with their events.
    fn groups(&self) -> Vec<(String, serde_json::Value)> {
        let mut groups = Vec::new();
        for piece in &self.0 {
            let text = piece.text.trim().trim_matches(',');
            let text = match &piece.within {
                Within::Settings => format!("{{{text}}}"),
                Within::Hooks => format!("{{\"hooks\": {{{text}}}}}"),
                Within::Event(event) => format!("{{\"hooks\": {{\"{event}\": [{text}]}}}}"),
            };
            let masked = Masked::new(&text);
            let Ok(document) = masked.parse() else { continue };
            let found = self::groups(&document).into_iter();
            groups.extend(found.map(|(event, group)| (event.to_owned(), plain(group))));
        }
        groups
    }

    /// Whether these bytes of a text are some that were inserted.
    pub(crate) fn has(&self, bytes: &str) -> bool {
        self.0.iter().any(|piece| piece.text.contains(bytes))
    }

    /// Whether a hook was inserted on this event, by this matcher, and with these keys, as far as they are ours to write.
    pub(crate) fn has_hook(&self, event: &str, matcher: Option<&str>, handler: &serde_json::Value) -> bool {
        let mut handler = handler.clone();
        retain(&mut handler, &HANDLER_KEYS);
        self.groups().iter().any(|(of, group)| {
            let handlers = group["hooks"].as_array();
            *of == event && group["matcher"].as_str() == matcher && handlers.is_some_and(|all| all.contains(&handler))
        })
    }

    /// How often a command was inserted.
    pub(crate) fn count(&self, command: &str) -> usize {
        let written = serde_json::Value::from(command).to_string();
        self.0.iter().map(|piece| piece.text.matches(&written).count()).sum()
    }

    /// The containers that came with it.
    pub(crate) fn made(&self) -> Made {
        let pieces = self.0.iter();
        Made {
            hooks: pieces.clone().any(|piece| piece.within == Within::Settings),
            events: pieces.flat_map(|piece| piece.events.iter().cloned()).collect(),
        }
    }
}

/// The containers in a text that are there because of hookkit, whichever workspace was the first.
///
/// What one workspace has made outlives it where the entries of another one stand in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Made {
    hooks: bool,
    /// The events whose lists are.
    events: BTreeSet<String>,
}

impl Made {
    /// What seems to be, where nothing was written down: what holds entries of ours and nothing else.
    pub(crate) fn guess(text: &str, is_ours: impl Fn(&str) -> bool) -> Self {
        let masked = Masked::new(text);
        let Ok(document) = masked.parse() else {
            return Self::default();
        };
        let is_group_ours = |group: &Value<'_>| {
            handlers(group).is_some_and(|list| {
                let mut commands = list.elements.iter().map(command);
                !list.elements.is_empty() && commands.all(|command| command.is_some_and(&is_ours))
            })
        };
        let hooks = document.hooks().ok().flatten();
        let events = hooks.into_iter().flat_map(|hooks| &hooks.properties);
        let events: Vec<(&str, bool)> = events
            .map(|event| {
                let list = event.value.as_array();
                let is_made =
                    list.is_some_and(|list| !list.elements.is_empty() && list.elements.iter().all(is_group_ours));
                (event.name.as_str(), is_made)
            })
            .collect();
        Self {
            hooks: !events.is_empty() && events.iter().all(|(_, is_made)| *is_made),
            events: events
                .iter()
                .filter(|(_, is_made)| *is_made)
                .map(|(event, _)| (*event).to_owned())
                .collect(),
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.hooks |= other.hooks;
        self.events.extend(other.events);
    }

    /// Forgets what is not in the text any more: if it comes back, it is somebody else's.
    pub(crate) fn retain_in(&mut self, text: &str) {
        self.hooks &= container(text, &Within::Hooks).is_some();
        self.events
            .retain(|event| container(text, &Within::Event(event.clone())).is_some());
    }
}

/// Adds entries to a text that has none of ours.
///
/// # Errors
///
/// A [refusal](Refusal) where nobody can tell where they should go.
/// Another error where an entry is one that the client would not read: that is a mistake of hookkit's.
pub(crate) fn insert(text: &str, entries: &[Entry]) -> Result<Edited> {
    let masked = Masked::new(text);
    let document = masked.parse()?;
    ensure_lists(&document)?;
    let mut insertions = insertions(&document, &by_event(entries))?;
    insertions.sort_by_key(|(.., insertion)| insertion.at);
    let mut edited = text.to_owned();
    for (.., insertion) in insertions.iter().rev() {
        edited.insert_str(insertion.at, &insertion.text);
        if let Some(comma) = insertion.comma_at {
            edited.insert(comma, ',');
        }
    }
    ensure_no_new_findings(text, &edited)?;
    let pieces = insertions.into_iter().map(|(within, events, insertion)| Piece {
        within,
        text: insertion.text,
        events,
        comma: insertion.comma_at.is_some(),
    });
    Ok(Edited {
        text: edited,
        inserted: Inserted(pieces.collect()),
    })
}

/// What goes in, into what, and the events whose lists come with it.
fn insertions(
    document: &Document<'_>,
    events: &[(&str, Vec<Group<'_>>)],
) -> Result<Vec<(Within, Vec<String>, Insertion)>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let Some(hooks) = document.hooks()? else {
        let insertion = document.append(&object(&document.root, true), &[Member("hooks", &Events(events))])?;
        let made = events.iter().map(|(event, _)| (*event).to_owned()).collect();
        return Ok(vec![(Within::Settings, made, insertion)]);
    };
    let (mut insertions, mut missing, mut made) = (Vec::new(), Vec::new(), Vec::new());
    for (event, groups) in events {
        let Some(list) = document.groups(hooks, event)? else {
            missing.push(Member(event, groups));
            made.push((*event).to_owned());
            continue;
        };
        let groups: Vec<&Group<'_>> = groups.iter().collect();
        let insertion = document.append(&self::list(list), &groups)?;
        insertions.push((Within::Event((*event).to_owned()), Vec::new(), insertion));
    }
    if !missing.is_empty() {
        insertions.push((Within::Hooks, made, document.append(&object(hooks, false), &missing)?));
    }
    Ok(insertions)
}

/// Looks whether a text is one that entries could be added to.
///
/// # Errors
///
/// Where it is not.
pub(crate) fn ensure_editable(text: &str) -> Result<(), Refusal> {
    ensure_lists(&Masked::new(text).parse()?)
}

/// Looks whether `hooks` and what it holds are what they should be, as far as they are there.
fn ensure_lists(document: &Document<'_>) -> Result<(), Refusal> {
    let Some(hooks) = document.hooks()? else { return Ok(()) };
    for member in &hooks.properties {
        // What is no event is nobody's business: some write comments that way.
        if let Some(event) = hookkit_protocol::event::event(member.name.as_str()) {
            document.groups(hooks, event.name)?;
        }
    }
    Ok(())
}

/// A mistake on our side must not reach the file: what the client would not read of the result it must not have read
/// before.
fn ensure_no_new_findings(before: &str, after: &str) -> Result<()> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for found in findings(before)? {
        *known.entry(found.what).or_default() += 1;
    }
    for found in findings(after)? {
        match known.get_mut(&found.what) {
            Some(count) if *count > 0 => *count -= 1,
            _ => bail!("hookkit made an entry that Claude Code would not read ({found}); nothing was written"),
        }
    }
    Ok(())
}

/// Where the bytes of a container are.
fn container(text: &str, within: &Within) -> Option<Range<usize>> {
    let masked = Masked::new(text);
    let document = masked.parse().ok()?;
    let hooks = document.hooks().ok()?;
    match within {
        Within::Settings => Some(document.root.start()..document.root.end()),
        Within::Hooks => Some(hooks?.start()..hooks?.end()),
        Within::Event(event) => {
            let list = document.groups(hooks?, event).ok()??;
            Some(list.start()..list.end())
        }
    }
}

/// Whether the text has just these entries of ours. Keys that somebody added to them do not count.
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

/// Whether the text has an entry just like this one.
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

/// The commands that the text has the client run, whoever wrote them; none where it does not parse.
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
fn groups<'d, 'a>(document: &'d Document<'a>) -> Vec<(&'d str, &'d Value<'a>)> {
    let hooks = document.hooks().ok().flatten();
    let lists = hooks.into_iter().flat_map(|hooks| &hooks.properties);
    let groups = lists.flat_map(|member| {
        let list = member.value.as_array().into_iter().flat_map(|list| &list.elements);
        list.map(|group| (member.name.as_str(), group))
    });
    groups.collect()
}

fn handlers<'d, 'a>(group: &'d Value<'a>) -> Option<&'d Array<'a>> {
    last_member(group.as_object()?, "hooks")?.as_array()
}

fn command<'d>(handler: &'d Value<'_>) -> Option<&'d str> {
    let command = last_member(handler.as_object()?, "command")?.as_string_lit()?;
    Some(&command.value)
}

/// The member of this name; of several the one that the client reads.
fn last_member<'d, 'a>(object: &'d Object<'a>, name: &str) -> Option<&'d Value<'a>> {
    let mut found = object.properties.iter().rev();
    found
        .find(|member| member.name.as_str() == name)
        .map(|member| &member.value)
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

fn retain(object: &mut serde_json::Value, keys: &[&str]) {
    if let Some(members) = object.as_object_mut() {
        members.retain(|key, _| keys.contains(&key.as_str()));
    }
}

/// The value without its places.
fn plain(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => text.value.as_ref().into(),
        Value::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Value::BooleanLit(flag) => flag.value.into(),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(list) => list.elements.iter().map(plain).collect(),
        Value::Object(object) => {
            let members = object.properties.iter();
            let members = members.map(|member| (member.name.as_str().to_owned(), plain(&member.value)));
            serde_json::Value::Object(members.collect())
        }
    }
}

fn object(object: &Object<'_>, is_root: bool) -> Container {
    Container {
        range: object.start()..object.end(),
        elements: ranges(&object.properties),
        is_root,
    }
}

fn list(list: &Array<'_>) -> Container {
    Container {
        range: list.start()..list.end(),
        elements: ranges(&list.elements),
        is_root: false,
    }
}

fn ranges(elements: &[impl Ranged]) -> Vec<Range<usize>> {
    elements.iter().map(|element| element.start()..element.end()).collect()
}

/// The entries as groups, by event, in order.
fn by_event(entries: &[Entry]) -> Vec<(&str, Vec<Group<'_>>)> {
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
struct Events<'e>(&'e [(&'e str, Vec<Group<'e>>)]);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(event, groups)| (event, groups)))
    }
}

/// A matcher group with one hook in it.
#[derive(Serialize)]
struct Group<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'e str>,
    hooks: [&'e Handler; 1],
}

impl<'e> Group<'e> {
    fn new(entry: &'e Entry) -> Self {
        Self {
            matcher: entry.matcher.as_deref(),
            hooks: [&entry.handler],
        }
    }
}

#[cfg(test)]
mod tests;
