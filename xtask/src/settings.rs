//! The user's settings file: a pure edit, from text to text.
//!
//! An edit inserts our bytes at positions and moves no other byte.
//! What was inserted is recorded, so that taking it out again gives back the text as it was, whatever else was edited in
//! between.
//! Where the record does not fit any more (another program wrote the file anew), entries are known by their command, and
//! go together with the containers that they leave empty; those that the record knows to have been there before stay.
//!
//! A key that somebody adds to an entry of ours stays as long as the entry does.
//! When the entry goes, or is written anew, the key goes with it, and [`Removed::lost`] says so.
//!
//! A text is refused where nobody can tell where our entries should go ([`document::Refusal`]).
//! What Claude Code would drop of a text that can be edited is another question: [`findings`] answers it, and `install`
//! asks it before it writes.

mod check;
mod document;
mod style;

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::{Result, bail};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use serde::{Deserialize, Serialize, Serializer};

pub(crate) use check::{Loss, findings};
use document::{Document, Masked, Place};
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
    pub(crate) args: [&'static str; 0],
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
    pub(crate) fn new(command: String) -> Self {
        Self {
            r#type: "command",
            command,
            args: [],
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
    into: Into,
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
enum Into {
    Settings,
    Hooks,
    /// The list of this event.
    Event(String),
}

impl Inserted {
    /// Whether all of it is in a text, as it was inserted. Nothing is nowhere.
    pub(crate) fn stands_in(&self, text: &str) -> bool {
        let stands =
            |piece: &Piece| container(text, &piece.into).is_some_and(|within| text[within].contains(&piece.text));
        !self.0.is_empty() && self.0.iter().all(stands)
    }

    /// The containers that came with it.
    pub(crate) fn made(&self) -> Made {
        let pieces = self.0.iter();
        Made {
            hooks: pieces.clone().any(|piece| piece.into == Into::Settings),
            events: pieces.flat_map(|piece| piece.events.iter().cloned()).collect(),
        }
    }

    /// Whether `hooks` may go when it is empty: unless it was there before us. Without a record nobody knows.
    fn made_hooks(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|piece| piece.into == Into::Settings)
    }

    /// Whether an event's list may go when it is empty.
    fn made_event(&self, event: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|piece| piece.events.iter().any(|made| made == event))
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
        self.hooks &= container(text, &Into::Hooks).is_some();
        self.events
            .retain(|event| container(text, &Into::Event(event.clone())).is_some());
    }
}

/// A text without our entries.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) text: String,
    /// What somebody had added within our entries, and what is gone with them: one sentence each.
    pub(crate) lost: Vec<String>,
}

/// Adds entries to a text that has none of ours.
///
/// # Errors
///
/// A [refusal](document::Refusal) where nobody can tell where they should go.
/// Another error where an entry is one that the client would not read: that is a mistake of hookkit's.
pub(crate) fn insert(text: &str, entries: &[Entry]) -> Result<Edited> {
    let masked = Masked::new(text);
    let document = masked.parse()?;
    let hooks = document.hooks()?;
    if let Some(hooks) = hooks {
        for member in &hooks.properties {
            // What is no event is nobody's business: some write comments that way.
            if let Some(event) = hookkit_protocol::event::event(member.name.as_str()) {
                document.groups(hooks, event.name)?;
            }
        }
    }
    let events = by_event(entries);
    let mut insertions: Vec<(Into, Insertion)> = Vec::new();
    match hooks {
        _ if events.is_empty() => {}
        None => {
            let root = object(&document.root, true);
            let insertion = document.append(&root, &[Member("hooks", &Events(&events))])?;
            insertions.push((Into::Settings, insertion));
        }
        Some(hooks) => {
            let mut missing = Vec::new();
            for (event, groups) in &events {
                match document.groups(hooks, event)? {
                    None => missing.push(Member(event, groups)),
                    Some(list) => {
                        let groups: Vec<&Group<'_>> = groups.iter().collect();
                        let insertion = document.append(&self::list(list), &groups)?;
                        insertions.push((Into::Event((*event).to_owned()), insertion));
                    }
                }
            }
            if !missing.is_empty() {
                insertions.push((Into::Hooks, document.append(&object(hooks, false), &missing)?));
            }
        }
    }
    insertions.sort_by_key(|(_, insertion)| insertion.at);
    let mut edited = text.to_owned();
    for (_, insertion) in insertions.iter().rev() {
        edited.insert_str(insertion.at, &insertion.text);
        if let Some(comma) = insertion.comma_at {
            edited.insert(comma, ',');
        }
    }
    ensure_no_new_findings(text, &edited)?;
    let had_event = |event: &str| {
        insertions
            .iter()
            .any(|(into, _)| matches!(into, Into::Event(had) if had == event))
    };
    let made = events.iter().map(|(event, _)| *event).filter(|event| !had_event(event));
    let made: Vec<String> = made.map(str::to_owned).collect();
    let piece = |(into, insertion): (Into, Insertion)| Piece {
        events: match into {
            Into::Event(_) => Vec::new(),
            Into::Settings | Into::Hooks => made.clone(),
        },
        into,
        text: insertion.text,
        comma: insertion.comma_at.is_some(),
    };
    Ok(Edited {
        text: edited,
        inserted: Inserted(insertions.into_iter().map(piece).collect()),
    })
}

/// A mistake on our side must not reach the file: what the client would not read of the result it must not have read
/// before.
fn ensure_no_new_findings(before: &str, after: &str) -> Result<()> {
    let whats =
        |text: &str| -> Result<Vec<String>> { Ok(findings(text)?.into_iter().map(|found| found.what).collect()) };
    let mut known = whats(before)?;
    for found in findings(after)? {
        match known.iter().position(|what| *what == found.what) {
            Some(position) => drop(known.swap_remove(position)),
            None => bail!("hookkit made an entry that Claude Code would not read ({found}); nothing was written"),
        }
    }
    Ok(())
}

/// Takes our entries out: what the record says was inserted, and whatever still has one of our commands.
///
/// `made`: which containers may go when they are empty, beside those that the record knows.
///
/// # Errors
///
/// A [refusal](document::Refusal) where the text cannot be parsed, so that entries of ours may be left in it.
pub(crate) fn remove(text: &str, inserted: &Inserted, made: &Made, is_ours: impl Fn(&str) -> bool) -> Result<Removed> {
    let mut undone = text.to_owned();
    // A hook of several events has the same text in each.
    let mut rest: Vec<&Piece> = inserted.0.iter().collect();
    rest.retain(|piece| {
        let within = container(&undone, &piece.into);
        let without = within.and_then(|within| without_piece(&undone, piece, within, 1));
        let is_left = without.is_none();
        undone = without.unwrap_or_else(|| std::mem::take(&mut undone));
        is_left
    });
    // Where the place is gone, because somebody renamed `hooks` say, the texts are still ours as long as there are as
    // many as there were. A list's text may stand within that of a whole event.
    rest.sort_by_key(|piece| std::cmp::Reverse(piece.text.len()));
    for (index, piece) in rest.iter().enumerate() {
        let count = rest[index..].iter().filter(|other| other.text == piece.text).count();
        if let Some(without) = without_piece(&undone, piece, 0..undone.len(), count) {
            undone = without;
        }
    }
    let removal = |text: &str| {
        let masked = Masked::new(text);
        let document = masked.parse()?;
        let removal = Removal {
            document: &document,
            inserted,
            made,
            is_ours: &is_ours,
            cuts: Vec::new(),
            lost: Vec::new(),
        };
        Ok::<_, document::Refusal>(removal.run())
    };
    let (cuts, _) = removal(&undone)?;
    // Where it stood in the text that its author knows.
    let (_, lost) = removal(text)?;
    for range in cuts.into_iter().rev() {
        undone.replace_range(range, "");
    }
    Ok(Removed { text: undone, lost })
}

/// The text without what was inserted in one place: the first of `count` such texts within a range, no more and no less.
fn without_piece(text: &str, piece: &Piece, within: Range<usize>, count: usize) -> Option<String> {
    let found: Vec<_> = text[within.clone()].match_indices(&piece.text).collect();
    let &(first, _) = found.first().filter(|_| found.len() == count)?;
    let at = within.start + first;
    let mut without = format!("{}{}", &text[..at], &text[at + piece.text.len()..]);
    if piece.comma {
        let masked = Masked::new(&without);
        let comma = masked
            .last_before(at)
            .filter(|&comma| without[comma..].starts_with(','))?;
        without.remove(comma);
    }
    // An element that was added behind ours may begin with a comma that it cannot do without us.
    Masked::new(&without).parse().is_ok().then_some(without)
}

/// Where the bytes of a container are.
fn container(text: &str, into: &Into) -> Option<Range<usize>> {
    let masked = Masked::new(text);
    let document = masked.parse().ok()?;
    let hooks = document.hooks().ok()?;
    match into {
        Into::Settings => Some(document.root.start()..document.root.end()),
        Into::Hooks => Some(hooks?.start()..hooks?.end()),
        Into::Event(event) => {
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
    let Ok(expected) = serde_json::to_value(Group::new(entry)) else {
        return false;
    };
    groups
        .iter()
        .any(|(event, group)| *event == entry.event && own_part(group) == expected)
}

/// A group without the keys that are not ours to write.
fn own_part(group: &Value<'_>) -> serde_json::Value {
    let mut group = plain(group);
    if let Some(members) = group.as_object_mut() {
        members.retain(|key, _| GROUP_KEYS.contains(&key.as_str()));
    }
    let handlers = group.get_mut("hooks").and_then(serde_json::Value::as_array_mut);
    for handler in handlers.into_iter().flatten() {
        if let Some(members) = handler.as_object_mut() {
            members.retain(|key, _| HANDLER_KEYS.contains(&key.as_str()));
        }
    }
    group
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

/// Finds what must go so that no handler with one of our commands is left.
struct Removal<'d, 'a> {
    document: &'d Document<'a>,
    inserted: &'d Inserted,
    made: &'d Made,
    is_ours: &'d dyn Fn(&str) -> bool,
    cuts: Vec<Range<usize>>,
    lost: Vec<String>,
}

impl<'d, 'a> Removal<'d, 'a> {
    /// The cuts, in order, and what is lost by them.
    fn run(mut self) -> (Vec<Range<usize>>, Vec<String>) {
        let root = &self.document.root;
        let goes: Vec<bool> = root
            .properties
            .iter()
            .map(|member| match member.value.as_object() {
                Some(hooks) if member.name.as_str() == "hooks" => self.hooks(hooks),
                _ => false,
            })
            .collect();
        self.cut(&object(root, true), &goes);
        self.cuts.sort_by_key(|range| range.start);
        (self.cuts, self.lost)
    }

    /// Whether `hooks` goes as a whole.
    fn hooks(&mut self, hooks: &'d Object<'a>) -> bool {
        let goes: Vec<bool> = hooks
            .properties
            .iter()
            .map(|event| {
                event
                    .value
                    .as_array()
                    .is_some_and(|list| self.event(event.name.as_str(), list))
            })
            .collect();
        self.container(
            &object(hooks, false),
            &goes,
            self.inserted.made_hooks() || self.made.hooks,
        )
    }

    fn event(&mut self, event: &str, list: &'d Array<'a>) -> bool {
        let goes: Vec<bool> = list.elements.iter().map(|group| self.group(group)).collect();
        self.container(
            &self::list(list),
            &goes,
            self.inserted.made_event(event) || self.made.events.contains(event),
        )
    }

    fn group(&mut self, group: &'d Value<'a>) -> bool {
        let Some(handlers) = handlers(group) else { return false };
        let is_ours = |handler: &Value<'_>| command(handler).is_some_and(self.is_ours);
        let goes: Vec<bool> = handlers.elements.iter().map(is_ours).collect();
        for (handler, _) in handlers.elements.iter().zip(&goes).filter(|(_, goes)| **goes) {
            let comments = self
                .document
                .comments(handler.start()..handler.end())
                .cloned()
                .collect();
            self.lose(handler, &HANDLER_KEYS, comments);
        }
        if goes.is_empty() || goes.contains(&false) {
            self.cut(&list(handlers), &goes);
            return false;
        }
        let comments = self.comments_beside(&list(handlers), &goes, group.start()..group.end());
        self.lose(group, &GROUP_KEYS, comments);
        true
    }

    /// Whether a container goes because all that it holds does. Where it stays, its elements are cut.
    fn container(&mut self, container: &Container, goes: &[bool], may_go: bool) -> bool {
        let is_empty = !goes.is_empty() && !goes.contains(&false);
        if is_empty
            && may_go
            && self
                .comments_beside(container, goes, container.range.clone())
                .is_empty()
        {
            return true;
        }
        self.cut(container, goes);
        false
    }

    /// Takes down what is in an entry of ours that we did not write.
    fn lose(&mut self, entry: &Value<'_>, ours: &[&str], comments: Vec<Range<usize>>) {
        let members = entry.as_object().into_iter().flat_map(|entry| &entry.properties);
        let foreign = members.filter(|member| !ours.contains(&member.name.as_str()));
        let text = self.document.text;
        for range in foreign.map(|member| member.start()..member.end()).chain(comments) {
            let place = Place::of(text, range.start);
            self.lost.push(format!(
                "{place}: `{}` stood in an entry of hookkit's and went with it",
                &text[range]
            ));
        }
    }

    /// Adds the cuts that take the elements out for which `goes` holds.
    fn cut(&mut self, container: &Container, goes: &[bool]) {
        let elements = &container.elements;
        let Some(first) = goes.iter().position(|goes| *goes) else {
            return;
        };
        if !goes.contains(&false) {
            let interior = container.range.start + 1..container.range.end - 1;
            return self.cut_beside_comments(container, goes, interior);
        }
        for index in first..elements.len() {
            if !goes[index] {
                continue;
            }
            // An element goes with the comma after it; the last one with the comma before it, and so do those that go
            // together with it.
            let is_at_the_end = goes[index..].iter().all(|goes| *goes);
            let range = if is_at_the_end {
                elements[index - 1].end..elements[index].end
            } else {
                elements[index].start..elements[index + 1].start
            };
            self.cut_beside_comments(container, goes, range);
        }
    }

    /// Adds a cut that leaves the comments in the range that stand beside the elements that go.
    fn cut_beside_comments(&mut self, container: &Container, goes: &[bool], range: Range<usize>) {
        let text = self.document.text;
        let mut start = range.start;
        for comment in self.comments_beside(container, goes, range.clone()) {
            let before = text[start..comment.start].trim_end_matches([' ', '\t']).len();
            self.cuts.push(start..start + before);
            // What follows must not become part of a comment that ends with its line.
            let line = text[comment.end..range.end]
                .find('\n')
                .filter(|_| text[comment.start..].starts_with("//"));
            start = line.map_or(comment.end, |length| comment.end + length + 1);
        }
        self.cuts.push(start..range.end);
    }

    /// The comments in the range that are in no element that goes.
    fn comments_beside(&self, container: &Container, goes: &[bool], range: Range<usize>) -> Vec<Range<usize>> {
        let gone: Vec<_> = container.elements.iter().zip(goes).filter(|(_, goes)| **goes).collect();
        let is_beside = |comment: &&Range<usize>| {
            !gone
                .iter()
                .any(|(element, _)| element.start <= comment.start && comment.end <= element.end)
        };
        self.document.comments(range).filter(is_beside).cloned().collect()
    }
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
