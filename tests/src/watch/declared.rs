//! The schemas of hooks that a client contains, read from its own code, without running it.
//!
//! The code is minified, and names differ from build to build; the keys of objects and the words in strings do not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use memchr::memmem::find_iter;
use serde::{Deserialize, Serialize};

use super::script::{argument, members, object_around, strings};
use crate::record;

/// The members of an object, each with the words that it may be, where the schema has them in place.
pub(super) type Members = BTreeMap<String, BTreeSet<String>>;

/// The table of what a client declares.
pub const DECLARED: &str = "declared";

/// The schemas of hooks that a client declares.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    /// The events for which hooks can be registered.
    pub events: BTreeSet<String>,
    /// The members of a payload, by event; those of every event have no name.
    pub payloads: BTreeMap<String, Members>,
    /// The members of an answer, by event for those of `hookSpecificOutput`; those on the top have no name.
    pub answers: BTreeMap<String, Members>,
    /// The keys of a handler in the settings, by its type.
    pub handlers: BTreeMap<String, Members>,
}

/// Types of handlers, each with keys that no other object of this `type` has together.
const HANDLERS: [(&str, &[&str]); 5] = [
    ("command", &["command", "timeout"]),
    ("prompt", &["prompt", "timeout"]),
    ("agent", &["prompt", "timeout"]),
    ("http", &["url", "statusMessage"]),
    ("mcp_tool", &["server", "tool"]),
];

impl Declared {
    /// Returns a word for this reader, which changes with its code: what it read before it may read in another way now.
    pub fn reader() -> String {
        record::hash(concat!(include_str!("declared.rs"), include_str!("script.rs")))
    }

    /// Reads the schemas of a client: its one script, or the binary that has the script within it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or has no list of events.
    pub fn read(client: &Path) -> Result<Self> {
        let code = fs::read(client).with_context(|| format!("cannot read {}", client.display()))?;
        let declared = Self::of(&code);
        let has_events = declared.events.contains("PreToolUse");
        ensure!(has_events, "{} has no list of events that can be read", client.display());
        Ok(declared)
    }

    /// Reads the schemas in a client's code.
    pub(super) fn of(code: &[u8]) -> Self {
        let mut declared = Self::default();
        let lists = find_iter(code, "[\"PreToolUse\",").filter_map(|at| strings(&code[at..]));
        let events = lists.max_by_key(Vec::len).unwrap_or_default();
        declared.events = events.into_iter().map(str::to_owned).collect();
        declared.read_payloads(code);
        declared.read_answers(code);
        declared.read_handlers(code);
        declared
    }

    fn read_payloads(&mut self, code: &[u8]) {
        let key = "hook_event_name:";
        // Schemas have every member; the objects that are sent, those that are not conditional. Old clients have no schemas.
        let mut sent: BTreeMap<String, Members> = BTreeMap::new();
        for at in find_iter(code, key) {
            let value = &code[at + key.len()..];
            let (into, name) = match argument(value) {
                Some(argument) => (&mut self.payloads, argument),
                None => (&mut sent, value),
            };
            let Some(name) = quoted(name).filter(|name| self.events.contains(*name)) else {
                continue;
            };
            let Some(read) = object_around(code, at).and_then(|start| members(code, start)) else {
                continue;
            };
            add(into.entry(name.to_owned()).or_default(), public(read), "hook_event_name");
        }
        for (event, members) in sent {
            let known = self.payloads.entry(event).or_default();
            if known.is_empty() {
                *known = members;
            }
        }
        for at in find_iter(code, "transcript_path:") {
            let Some(read) = object_around(code, at).and_then(|start| members(code, start)) else {
                continue;
            };
            let has = |name: &str| read.iter().any(|(known, _)| *known == name);
            if has("session_id")
                && has("cwd")
                && !["hook_event_name", "workspace", "model", "tool_name"].iter().any(|name| has(name))
            {
                add(self.payloads.entry(String::new()).or_default(), read, "hook_event_name");
            }
        }
    }

    fn read_answers(&mut self, code: &[u8]) {
        let key = "hookEventName:";
        for at in find_iter(code, key) {
            let name = argument(&code[at + key.len()..]).and_then(quoted);
            let Some(name) = name.filter(|name| self.events.contains(*name)) else {
                continue;
            };
            let Some(read) = object_around(code, at).and_then(|start| members(code, start)) else {
                continue;
            };
            add(self.answers.entry(name.to_owned()).or_default(), public(read), "hookEventName");
        }
        for at in find_iter(code, "suppressOutput:") {
            let Some(read) = object_around(code, at).and_then(|start| members(code, start)) else {
                continue;
            };
            let is_schema = !read.iter().any(|(_, value)| value.starts_with(b"\""));
            if is_schema && read.iter().any(|(name, _)| *name == "hookSpecificOutput") {
                add(self.answers.entry(String::new()).or_default(), read, "hookSpecificOutput");
            }
        }
    }

    fn read_handlers(&mut self, code: &[u8]) {
        for (kind, keys) in HANDLERS {
            let literal = format!("(\"{kind}\")");
            for at in find_iter(code, &literal) {
                let Some(start) = object_around(code, at) else { continue };
                let Some(read) = members(code, start) else { continue };
                let is_type = read.first().is_some_and(|(name, _)| *name == "type");
                // A copy for programs that embed the client has keys with underscores.
                let is_settings = !read.iter().any(|(name, _)| *name == "status_message");
                if is_type && is_settings && keys.iter().all(|key| read.iter().any(|(name, _)| name == key)) {
                    // Those for the client's own plugins stay: settings can have them, too.
                    add(self.handlers.entry(kind.to_owned()).or_default(), read, "type");
                }
            }
        }
    }
}

/// Adds the members of an object, except the one that names what it is of.
fn add(known: &mut Members, read: Vec<(&str, &[u8])>, except: &str) {
    for (name, value) in read.into_iter().filter(|(name, _)| *name != except) {
        let words = argument(value).and_then(strings).unwrap_or_default();
        let all = known.entry(name.to_owned()).or_default();
        all.extend(words.into_iter().map(str::to_owned));
    }
}

/// Returns the word in double quotes that a text begins with.
fn quoted(text: &[u8]) -> Option<&str> {
    let text = text.strip_prefix(b"\"")?;
    let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    str::from_utf8(&text[..end]).ok().filter(|_| text[end] == b'"')
}

/// Returns the members that are not for the client's own programs.
fn public<'c>(read: Vec<(&'c str, &'c [u8])>) -> Vec<(&'c str, &'c [u8])> {
    let is_internal = |value: &[u8]| find_iter(value, "describe(\"@internal").next().is_some();
    read.into_iter().filter(|(_, value)| !is_internal(value)).collect()
}
