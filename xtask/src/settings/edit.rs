//! Edits the text of a settings file. An edit is a pure function from text to text.
//!
//! An edit inserts hookkit's bytes at positions, and moves no other byte. The insertions are recorded, so removing them
//! restores the text, whatever other edits were made in between. If another program has rewritten the file and the
//! record no longer matches, entries are recognized by their commands. They are removed together with the containers
//! that become empty and that were [made](Made) for them.
//!
//! A key that the user adds to one of hookkit's entries stays as long as the entry. If the entry is removed or
//! rewritten, the key is removed too, and [`Removed::lost`](crate::settings::undo::Removed::lost) contains it.
//!
//! If a text has no clear place for the entries, it is rejected ([`Refusal`]). An editable text can still have parts
//! that Claude Code would ignore. [`findings`](Document::findings) reports them, and `install` checks this before it
//! writes.

use std::collections::BTreeSet;
use std::ops::Range;

use anyhow::Result;
use hookkit_protocol::agents::Form;
use serde::{Deserialize, Serialize};

use crate::settings::document::Document;
use crate::settings::entries::{Entry, Events, Group, HANDLER_KEYS, by_event, command, handlers, retain};
use crate::settings::finding::Refusal;
use crate::settings::style::{Insertion, Keyed, list, object};
use crate::settings::toml;
use crate::settings::value::{Member, Value};

/// An edited text and the insertions into it.
pub(crate) struct Edited {
    pub(crate) document: Document,
    pub(crate) inserted: Inserted,
}

/// The pieces inserted into a text, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inserted(pub(crate) Vec<Piece>);

/// A text inserted at one position.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// The existing container into which it was inserted.
    pub(crate) within: Within,
    pub(crate) text: String,
    /// The events whose lists were also inserted.
    events: Vec<String>,
    /// `true` if the comma before the piece was also inserted, with a comment between the two.
    pub(crate) comma: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Within {
    Settings,
    Hooks,
    /// This event's list.
    Event(String),
}

impl Inserted {
    /// Returns `true` if the whole insertion is unchanged in a text; `false` if nothing was inserted.
    pub(crate) fn is_in(&self, document: &Document) -> bool {
        let is_there = |piece: &Piece| {
            let within = document.container(&piece.within);
            within.is_some_and(|within| document.text()[within].contains(&piece.text))
        };
        !self.0.is_empty() && self.0.iter().all(is_there)
    }

    /// Returns the inserted groups, with their events.
    pub(crate) fn groups(&self) -> Vec<(String, serde_json::Value)> {
        let mut groups = Vec::new();
        for piece in &self.0 {
            let text = piece.text.trim().trim_matches(',');
            let text = match &piece.within {
                Within::Settings => format!("{{{text}}}"),
                Within::Hooks => format!("{{\"hooks\": {{{text}}}}}"),
                Within::Event(event) => format!("{{\"hooks\": {{\"{event}\": [{text}]}}}}"),
            };
            // A piece of TOML is a complete document.
            let document = Document::parse(&text).or_else(|_| Document::of(Form::Toml, &piece.text));
            let Ok(document) = document else { continue };
            let found = document.all_groups();
            groups.extend(found.map(|(event, group)| (event.to_owned(), group.plain())));
        }
        groups
    }

    /// Returns `true` if these bytes of a text were inserted.
    pub(crate) fn has(&self, bytes: &str) -> bool {
        self.0.iter().any(|piece| piece.text.contains(bytes))
    }

    /// Returns `true` if a hook was inserted on this event, with this matcher and with the same values for hookkit's
    /// keys.
    pub(crate) fn has_hook(&self, event: &str, matcher: Option<&str>, handler: &serde_json::Value) -> bool {
        let mut handler = handler.clone();
        retain(&mut handler, &HANDLER_KEYS);
        self.groups().iter().any(|(of, group)| {
            let handlers = group["hooks"].as_array();
            *of == event && group["matcher"].as_str() == matcher && handlers.is_some_and(|all| all.contains(&handler))
        })
    }

    /// Returns the number of times that a command was inserted.
    pub(crate) fn count(&self, command: &str) -> usize {
        let written = serde_json::Value::from(command).to_string();
        self.0.iter().map(|piece| piece.text.matches(&written).count()).sum()
    }

    /// Returns the inserted containers.
    pub(crate) fn made(&self) -> Made {
        let pieces = self.0.iter();
        Made {
            hooks: pieces.clone().any(|piece| piece.within == Within::Settings),
            events: pieces.flat_map(|piece| piece.events.iter().cloned()).collect(),
            blanks: Vec::new(),
        }
    }
}

/// Containers that hookkit has created in a text, for any workspace, and the former whitespace in the empty ones.
///
/// A container created for one workspace stays as long as it has entries of another workspace.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    pub(crate) hooks: bool,
    /// The events whose lists hookkit has created.
    pub(crate) events: BTreeSet<String>,
    /// The whitespace in containers that were otherwise empty.
    blanks: Vec<(Within, String)>,
}

impl Made {
    /// Guesses which containers hookkit has created, if there is no record: those that only have hookkit's entries.
    pub(crate) fn guess(document: &Document, is_ours: impl Fn(&str) -> bool) -> Self {
        let is_group_ours = |group: &Value| {
            let is_ours = |handler| command(handler).is_some_and(&is_ours);
            handlers(group).is_some_and(|list| !list.elements.is_empty() && list.elements.iter().all(is_ours))
        };
        let is_made = |event: &&Member| {
            let groups = event.value.elements();
            !groups.is_empty() && groups.iter().all(is_group_ours)
        };
        let hooks = document.hooks().ok().flatten();
        let events = hooks.map_or(&[][..], |hooks| &hooks.members);
        let made = events.iter().filter(is_made).map(|event| event.name.clone());
        let is_made = !events.is_empty() && events.iter().all(|event| is_made(&event));
        Self { hooks: is_made, events: made.collect(), blanks: Vec::new() }
    }

    /// Records the whitespace in the empty containers of a text, before entries are inserted.
    pub(crate) fn note_blanks(&mut self, document: &Document) {
        if document.form == Form::Toml {
            return;
        }
        let hooks = document.hooks().ok().flatten();
        let events = hooks.into_iter().flat_map(|hooks| &hooks.members).map(|event| Within::Event(event.name.clone()));
        for within in [Within::Settings, Within::Hooks].into_iter().chain(events) {
            let inner =
                document.container(&within).and_then(|range| document.text().get(range.start + 1..range.end - 1));
            if let Some(blank) = inner.filter(|inner| inner.trim().is_empty()) {
                self.blanks.retain(|(of, _)| *of != within);
                self.blanks.push((within, blank.to_owned()));
            }
        }
    }

    /// Returns the former whitespace in a container.
    pub(crate) fn blank(&self, within: &Within) -> &str {
        self.blanks.iter().find(|(of, _)| of == within).map_or("", |(_, blank)| blank)
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.hooks |= other.hooks;
        self.events.extend(other.events);
    }

    /// Forgets containers that are no longer in the text. If they come back, hookkit has not created them.
    pub(crate) fn retain_in(&mut self, document: &Document) {
        self.hooks &= document.container(&Within::Hooks).is_some();
        self.events.retain(|event| document.container(&Within::Event(event.clone())).is_some());
        self.blanks.retain(|(within, _)| document.container(within).is_some());
    }
}

/// Adds entries to a text without hookkit entries.
///
/// # Errors
///
/// Fails with a [refusal](Refusal) if the entries have no clear position.
pub(crate) fn insert(document: &Document, entries: &[Entry]) -> Result<Edited> {
    document.ensure_editable()?;
    let mut insertions = insertions(document, &by_event(entries))?;
    insertions.sort_by_key(|(.., insertion)| insertion.at);
    let mut edited = document.text().to_owned();
    for (.., insertion) in insertions.iter().rev() {
        edited.insert_str(insertion.at, &insertion.text);
        if let Some(comma) = insertion.comma_at {
            edited.insert(comma, ',');
        }
    }
    let edited = Document::of(document.form, &edited)?;
    let pieces = insertions.into_iter().map(|(within, events, insertion)| Piece {
        within,
        text: insertion.text,
        events,
        comma: insertion.comma_at.is_some(),
    });
    Ok(Edited { document: edited, inserted: Inserted(pieces.collect()) })
}

/// Returns the entries to insert, their containers, and the events whose lists must be created.
fn insertions(document: &Document, events: &[(&str, Vec<Group<'_>>)]) -> Result<Vec<(Within, Vec<String>, Insertion)>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    if document.form == Form::Toml {
        let text = toml::appended(document.text(), events)?;
        let insertion = Insertion { at: document.text().len(), text, comma_at: None };
        return Ok(vec![(Within::Settings, Vec::new(), insertion)]);
    }
    let Some(hooks) = document.hooks()? else {
        let insertion = document.append(&object(&document.root), &[Keyed("hooks", &Events(events))])?;
        let made = events.iter().map(|(event, _)| (*event).to_owned()).collect();
        return Ok(vec![(Within::Settings, made, insertion)]);
    };
    let (mut insertions, mut missing, mut made) = (Vec::new(), Vec::new(), Vec::new());
    for (event, groups) in events {
        let Some(list) = document.groups(hooks, event)? else {
            missing.push(Keyed(event, groups));
            made.push((*event).to_owned());
            continue;
        };
        let groups: Vec<&Group<'_>> = groups.iter().collect();
        let insertion = document.append(&self::list(list), &groups)?;
        insertions.push((Within::Event((*event).to_owned()), Vec::new(), insertion));
    }
    if !missing.is_empty() {
        insertions.push((Within::Hooks, made, document.append(&object(hooks), &missing)?));
    }
    Ok(insertions)
}

impl Document {
    /// Checks that entries could be added to the text: `hooks` and its content, if present, must have the right types.
    ///
    /// # Errors
    ///
    /// Fails if entries could not be added. The refusal includes the reason.
    pub(crate) fn ensure_editable(&self) -> Result<(), Refusal> {
        let Some(hooks) = self.hooks()? else { return Ok(()) };
        for member in &hooks.members {
            // A member that is not an event is left alone: some users write comments that way.
            if let Some(event) = hookkit_protocol::event::event(&member.name) {
                self.groups(hooks, event.name)?;
            }
        }
        Ok(())
    }

    /// Returns the bytes of a container.
    pub(crate) fn container(&self, within: &Within) -> Option<Range<usize>> {
        let hooks = self.hooks().ok()?;
        match within {
            Within::Settings => Some(self.root.range.clone()),
            Within::Hooks => Some(hooks?.range.clone()),
            Within::Event(event) => Some(self.groups(hooks?, event).ok()??.range.clone()),
        }
    }
}

#[cfg(test)]
mod tests;
