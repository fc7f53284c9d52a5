//! The user's settings file: a pure edit, from text to text.
//!
//! An edit inserts our bytes at positions and moves no other byte.
//! What was inserted is recorded, so that taking it out again gives back the text as it was, whatever else was edited in
//! between.
//! Where the record does not fit any more (another program wrote the file anew), entries are known by their command, and
//! go together with the containers that they leave empty.

use std::ops::Range;

use anyhow::{Result, anyhow};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::{Serialize, Serializer};

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

/// An edited text, and what was inserted to make it.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) text: String,
    pub(crate) inserted: Vec<String>,
}

/// Adds entries to a text that has none of ours.
///
/// # Errors
///
/// When the client would not read the text, or where it has a key twice, so that nobody can tell which one counts.
pub(crate) fn insert(text: &str, entries: &[Entry]) -> Result<Edited> {
    let document = Document { text };
    let root = document.parse()?;
    let root = document.object(&root, "the settings")?;
    let events = by_event(entries);
    let mut insertions = Vec::new();
    match document.member(root, "hooks")? {
        None if events.is_empty() => {}
        None => insertions.push(document.append(root, root.properties.last(), &[Member("hooks", &Events(&events))])?),
        Some(hooks) => {
            let hooks = document.object(hooks, "`hooks`")?;
            let mut missing = Vec::new();
            for (event, groups) in &events {
                match document.member(hooks, event)? {
                    None => missing.push(Member(event, groups)),
                    Some(list) => {
                        let list = document.array(list, &format!("`hooks.{event}`"))?;
                        insertions.push(document.append(list, list.elements.last(), groups)?);
                    }
                }
            }
            if !missing.is_empty() {
                insertions.push(document.append(hooks, hooks.properties.last(), &missing)?);
            }
        }
    }
    insertions.sort_by_key(|insertion| insertion.at);
    Ok(Edited {
        text: apply(text, &insertions),
        inserted: insertions.into_iter().map(|insertion| insertion.text).collect(),
    })
}

/// Takes our entries out: what the record says was inserted, and whatever still has one of our commands.
///
/// # Errors
///
/// When the text cannot be parsed, so that entries of ours may be left in it.
pub(crate) fn remove(text: &str, inserted: &[String], is_ours: impl Fn(&str) -> bool) -> Result<String> {
    let undone = inserted
        .iter()
        .try_fold(text.to_owned(), |text, piece| {
            (text.matches(piece.as_str()).count() == 1).then(|| text.replacen(piece.as_str(), "", 1))
        })
        // An element that was added behind ours begins with a comma that it now cannot do with.
        .filter(|undone| Document { text: undone }.parse().is_ok())
        .unwrap_or_else(|| text.to_owned());
    let document = Document { text: &undone };
    let root = document.parse()?;
    let ranges = document.cuts(&root, &is_ours)?;
    let mut rest = undone.clone();
    for range in ranges.into_iter().rev() {
        rest.replace_range(range, "");
    }
    Ok(rest)
}

/// Whether the text has just these entries of ours.
pub(crate) fn is_current(text: &str, entries: &[Entry], is_ours: impl Fn(&str) -> bool) -> bool {
    let Ok(settings) = serde_json::from_str::<serde_json::Value>(text) else {
        return false;
    };
    let handlers = |group: &serde_json::Value| group["hooks"].as_array().cloned().unwrap_or_default();
    let is_ours = |handler: &serde_json::Value| handler["command"].as_str().is_some_and(&is_ours);
    let lists = settings["hooks"].as_object().into_iter().flatten();
    let groups = lists.flat_map(|(event, list)| list.as_array().into_iter().flatten().map(move |group| (event, group)));
    let ours = groups.filter(|(_, group)| handlers(group).iter().any(is_ours)).count();
    ours == entries.len() && entries.iter().all(|entry| has_entry(&settings, entry))
}

/// Whether the text has an entry just like this one.
pub(crate) fn has(text: &str, entry: &Entry) -> bool {
    serde_json::from_str(text).is_ok_and(|settings| has_entry(&settings, entry))
}

fn has_entry(settings: &serde_json::Value, entry: &Entry) -> bool {
    let list = settings["hooks"][&entry.event].as_array();
    let group = serde_json::to_value(Group::new(entry)).ok();
    list.is_some_and(|list| list.iter().any(|found| Some(found) == group.as_ref()))
}

/// Bytes that go in at a position.
struct Insertion {
    at: usize,
    text: String,
}

fn apply(text: &str, insertions: &[Insertion]) -> String {
    let mut edited = text.to_owned();
    for insertion in insertions.iter().rev() {
        edited.insert_str(insertion.at, &insertion.text);
    }
    edited
}

struct Document<'a> {
    text: &'a str,
}

impl<'a> Document<'a> {
    /// Parses the text as the client does: plain JSON. For a comment or a trailing comma it drops the whole file
    /// (client 2.1.330).
    fn parse(&self) -> Result<Value<'a>> {
        let plain = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(self.text, &CollectOptions::default(), &plain)
            .map_err(|err| self.refusal(err.range().start, &err.kind().to_string()))?;
        let value = parsed
            .value
            .ok_or_else(|| self.refusal(0, "the file is empty; delete it or write `{}`"))?;
        // The parser that knows positions takes white space and control characters that JSON does not have.
        serde_json::from_str::<serde_json::Value>(self.text)
            .map_err(|err| anyhow!("line {}, column {}: this is no JSON: {err}", err.line(), err.column()))?;
        Ok(value)
    }

    #[cold]
    fn refusal(&self, at: usize, what: &str) -> anyhow::Error {
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|char| *char != '\n').count() + 1;
        anyhow!("line {line}, column {column}: {what}")
    }

    fn object<'v>(&self, value: &'v Value<'a>, name: &str) -> Result<&'v Object<'a>> {
        value
            .as_object()
            .ok_or_else(|| self.refusal(value.start(), &format!("{name} should be an object")))
    }

    fn array<'v>(&self, value: &'v Value<'a>, name: &str) -> Result<&'v Array<'a>> {
        value
            .as_array()
            .ok_or_else(|| self.refusal(value.start(), &format!("{name} should be a list")))
    }

    /// The member of this name, which must not stand there twice.
    fn member<'v>(&self, object: &'v Object<'a>, name: &str) -> Result<Option<&'v Value<'a>>> {
        let mut found = object.properties.iter().filter(|member| member.name.as_str() == name);
        let first = found.next();
        if let Some(second) = found.next() {
            let what = format!("`{name}` stands here a second time; merge the two");
            return Err(self.refusal(second.start(), &what));
        }
        Ok(first.map(|member| &member.value))
    }

    /// An insertion of `items` at the end of a container, in the style of what is around it.
    fn append(&self, container: &impl Ranged, last: Option<&impl Ranged>, items: &[impl Item]) -> Result<Insertion> {
        let (start, end) = (container.start(), container.end());
        let interior = &self.text[start + 1..end - 1];
        let newline = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        if let Some(last) = last
            && !interior.contains('\n')
        {
            let items = items.iter().map(Item::inline).collect::<Result<Vec<_>>>()?;
            return Ok(Insertion {
                at: last.end(),
                text: format!(", {}", items.join(", ")),
            });
        }

        let outer = self.indentation(start);
        let unit = self.indentation_unit();
        let indentation = match last {
            Some(last) if self.is_first_on_its_line(last.start()) => self.indentation(last.start()).to_owned(),
            _ => format!("{outer}{unit}"),
        };
        let lead = format!("{newline}{indentation}");
        let items = items
            .iter()
            .map(|item| Ok(item.block(unit)?.replace('\n', &lead)))
            .collect::<Result<Vec<_>>>()?;
        let items = items.join(&format!(",{lead}"));
        Ok(match last {
            Some(last) => Insertion {
                at: last.end(),
                text: format!(",{lead}{items}"),
            },
            None if interior.contains('\n') => Insertion {
                at: start + 1,
                text: format!("{lead}{items}"),
            },
            None => Insertion {
                at: start + 1,
                text: format!("{lead}{items}{newline}{outer}"),
            },
        })
    }

    /// The blanks that the line of this position begins with.
    fn indentation(&self, at: usize) -> &'a str {
        let line = self.line_start(at);
        let length = self.text[line..].len() - self.text[line..].trim_start_matches([' ', '\t']).len();
        &self.text[line..(line + length).min(at)]
    }

    fn is_first_on_its_line(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].trim().is_empty()
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// One level of the file's own indentation.
    fn indentation_unit(&self) -> &'a str {
        let lines = self.text.lines().skip(1);
        let indented = lines.map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        indented.into_iter().find(|blanks| !blanks.is_empty()).unwrap_or("  ")
    }

    /// What must go so that no handler with one of our commands is left: each handler, or the outermost container that
    /// holds nothing else.
    fn cuts(&self, root: &Value<'a>, is_ours: &dyn Fn(&str) -> bool) -> Result<Vec<Range<usize>>> {
        let mut cuts = Vec::new();
        let root = self.object(root, "the settings")?;
        let is_hooks = |member: &ObjectProp<'a>, cuts: &mut Vec<Range<usize>>| {
            if member.name.as_str() != "hooks" {
                return false;
            }
            let Some(events) = member.value.as_object() else {
                return false;
            };
            cut(&events.properties, cuts, |event, cuts| {
                let Some(groups) = event.value.as_array() else {
                    return false;
                };
                cut(&groups.elements, cuts, |group, cuts| {
                    let handlers = group.as_object().and_then(|group| group.get_array("hooks"));
                    let Some(handlers) = handlers else { return false };
                    cut(&handlers.elements, cuts, |handler, _| {
                        let command = handler.as_object().and_then(|handler| handler.get_string("command"));
                        command.is_some_and(|command| is_ours(&command.value))
                    })
                })
            })
        };
        if cut(&root.properties, &mut cuts, is_hooks) {
            cuts.push(root.start() + 1..root.end() - 1);
        }
        Ok(cuts)
    }
}

/// Adds the cuts that take the elements out for which `goes` holds, in order; true if that is all of them, and there is
/// at least one: then nothing is added, since the container itself shall go.
fn cut<T: Ranged>(
    elements: &[T],
    cuts: &mut Vec<Range<usize>>,
    mut goes: impl FnMut(&T, &mut Vec<Range<usize>>) -> bool,
) -> bool {
    let before = cuts.len();
    let goes: Vec<bool> = elements.iter().map(|element| goes(element, cuts)).collect();
    if !goes.is_empty() && goes.iter().all(|goes| *goes) {
        cuts.truncate(before);
        return true;
    }
    for (index, element) in elements.iter().enumerate() {
        if !goes[index] {
            continue;
        }
        // An element goes with the comma after it; the last one with the comma before it, and so do those that go
        // together with it.
        let is_at_the_end = goes[index..].iter().all(|goes| *goes);
        cuts.push(if is_at_the_end {
            elements[index - 1].end()..element.end()
        } else {
            element.start()..elements[index + 1].start()
        });
    }
    cuts.sort_by_key(|range| range.start);
    false
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

/// Something that a container holds.
trait Item {
    /// On one line.
    fn inline(&self) -> Result<String>;
    /// On several lines, the first of which is not indented.
    fn block(&self, unit: &str) -> Result<String>;
}

impl Item for Group<'_> {
    fn inline(&self) -> Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    fn block(&self, unit: &str) -> Result<String> {
        pretty(self, unit)
    }
}

/// A member of an object: its key and its value.
struct Member<'m, V>(&'m str, &'m V);

impl<V: Serialize> Item for Member<'_, V> {
    fn inline(&self) -> Result<String> {
        Ok(format!(
            "{}: {}",
            serde_json::to_string(self.0)?,
            serde_json::to_string(self.1)?
        ))
    }

    fn block(&self, unit: &str) -> Result<String> {
        Ok(format!("{}: {}", serde_json::to_string(self.0)?, pretty(self.1, unit)?))
    }
}

fn pretty(value: &impl Serialize, unit: &str) -> Result<String> {
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    Ok(String::from_utf8(text)?)
}

#[cfg(test)]
mod tests;
