//! Entries are inserted into a settings file, and all its other bytes stay.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use anyhow::Result;
use serde_json::{Value, json};
use test_support::lines::Lines;

use crate::fuzzing::{OURS, entry, is_ours, undone};
use crate::settings::check::listed;
use crate::settings::document::Document;
use crate::settings::edit::{self, Inserted, Made};
use crate::settings::entries::{Entry, Group, HANDLER_KEYS, Handler};
use crate::settings::finding::{Finding, Ignored, Refusal};
use crate::settings::position::Position;
use crate::settings::reading::GROUP_KEYS;
use crate::settings::undo;

mod corpus;
mod generated;
mod mistakes;
mod undone;

#[derive(Debug)]
struct Edited {
    text: String,
    inserted: Inserted,
}

fn insert(text: &str, entries: &[Entry]) -> Result<Edited> {
    let edit::Edited { document, inserted } = edit::insert(&Document::parse(text)?, entries)?;
    let text = document.text().to_owned();
    Ok(Edited { text, inserted })
}

struct Removed {
    text: String,
    lost: Vec<String>,
}

fn remove(text: &str, inserted: &Inserted, made: &Made, is_ours: impl Fn(&str) -> bool) -> Result<Removed> {
    let undo::Removed { document, lost } = undo::remove(&Document::parse(text)?, inserted, made, is_ours)?;
    let text = document.text().to_owned();
    Ok(Removed { text, lost })
}

fn findings(text: &str) -> Result<Vec<Finding>, Refusal> {
    Ok(Document::parse(text)?.findings())
}

fn ensure_editable(text: &str) -> Result<(), Refusal> {
    Document::parse(text)?.ensure_editable()
}

fn is_current(text: &str, entries: &[Entry], is_ours: impl Fn(&str) -> bool) -> bool {
    Document::parse(text).is_ok_and(|document| document.has_only(entries, is_ours))
}

fn has(text: &str, entry: &Entry) -> bool {
    Document::parse(text).is_ok_and(|document| document.has(entry))
}

fn entries() -> Vec<Entry> {
    vec![
        entry("PreToolUse", Some("Read|Edit"), "guard"),
        entry("Stop", None, "gate"),
        entry("PreToolUse", Some("Bash"), "shell"),
    ]
}

/// Returns the created containers from the record, or a guess without a record.
fn made(text: &str, inserted: &Inserted) -> Made {
    if *inserted == Inserted::default() {
        return Made::guess(&Document::parse(text).unwrap(), is_ours);
    }
    inserted.made()
}

/// Returns the text without hookkit's entries. Fails if the removal also removes the user's additions.
fn without(text: &str, inserted: &Inserted) -> String {
    let removed = remove(text, inserted, &made(text, inserted), is_ours).unwrap_or_else(|err| panic!("{err}\n{text}"));
    assert!(removed.lost.is_empty(), "{:?}", removed.lost);
    removed.text
}

fn parsed(text: &str) -> Value {
    // Differences between the client's reader and `serde_json`.
    let text = text.trim_start_matches('\u{feff}').replace("\\\\", "\u{1}");
    let text = text.replace("\\ud800", "?").replace("\\udc00", "?").replace('\u{1}', "\\\\");
    serde_json::from_str(&text).unwrap_or_else(|err| panic!("{err}\n{text}"))
}

static TEXTS: LazyLock<Lines<'static>> = LazyLock::new(|| test_support::lines!("lines/settings.txt"));

/// Returns files as people write them. The client reads all of them.
fn files() -> impl Iterator<Item = &'static str> {
    TEXTS.section("files that the client reads").lines()
}

/// Returns all editable files.
fn all() -> impl Iterator<Item = &'static str> {
    files().chain(TEXTS.section("files with comments and trailing commas").lines())
}

/// Without hookkit's entries, the result has the original bytes in the same places.
#[test]
fn no_foreign_byte_moves() {
    for file in all() {
        let text = insert(file, &entries()).unwrap().text;
        let mut rest = text.chars();
        assert!(file.chars().all(|char| rest.any(|other| other == char)), "{text}");
        for line in file.lines().filter(|line| line.contains("//") && file.lines().count() > 1) {
            let comment = &line[line.rfind("//").unwrap_or_default()..];
            let before = line.trim_end_matches(comment).trim_end().trim_end_matches(',');
            assert!(
                text.lines().any(|line| line.starts_with(before) && line.trim_end().ends_with(comment)),
                "a comment stays behind what it is about: {text}"
            );
        }
    }
}

#[test]
fn the_result_has_every_entry_once_and_every_foreign_value() {
    for file in files() {
        let text = insert(file, &entries()).unwrap().text;
        assert_foreign_values_stay(file, &text);
    }
}

fn assert_foreign_values_stay(file: &str, text: &str) {
    let (before, after) = (parsed(file), parsed(text));
    let mut keys = before.as_object().unwrap().iter().filter(|(key, _)| *key != "hooks");
    assert!(keys.all(|(key, value)| after[key] == *value), "{text}");
    let events = before["hooks"].as_object().into_iter().flatten();
    for event in events.map(|(event, _)| event.as_str()).chain(["PreToolUse", "Stop"]) {
        let expected = entries().iter().filter(|entry| entry.event == event).count();
        let foreign = match &before["hooks"][event] {
            Value::Null => Vec::new(),
            Value::Array(groups) => groups.clone(),
            // Such as a comment where an event should be.
            other => {
                assert_eq!(after["hooks"][event], *other, "{text}");
                continue;
            }
        };
        let groups = after["hooks"][event].as_array().unwrap();
        assert_eq!(groups[..foreign.len()], foreign, "{text}");
        assert_eq!(groups.len(), foreign.len() + expected, "{text}");
    }
}

#[test]
fn no_entries_change_nothing() {
    for file in all() {
        assert_eq!(insert(file, &[]).unwrap().text, file);
    }
}

#[test]
fn entries_that_are_right_are_known_as_such() {
    for file in all() {
        let entries = entries();
        assert!(!is_current(file, &entries, is_ours));
        let text = insert(file, &entries).unwrap().text;
        assert!(is_current(&text, &entries, is_ours), "{text}");
        assert!(!is_current(&text, &entries[1..], is_ours), "one of ours too many");
        let mut other = self::entries();
        other[0].handler.0.push(("timeout", 5.into()));
        assert!(!is_current(&text, &other, is_ours), "another timeout");
        assert!(has(&text, &entries[0]) && !has(&text, &other[0]));
    }
}

/// A key that is written but not recognized would be reported as lost at each update, and would never be current.
#[test]
fn every_key_that_we_write_is_known_as_ours() {
    let mut hook = json!({"name": "", "description": "", "if": "", "timeout": 1, "status_message": "", "on_failure": "block",
        "mode": "async", "path": "", "package": "", "package_version": ""});
    let handler = Handler::with_arguments(String::new(), Vec::new())
        .of_hook(&serde_json::from_value(hook.clone()).unwrap(), true);
    hook["mode"] = "asyncRewake".into();
    let handler = handler.of_hook(&serde_json::from_value(hook).unwrap(), true);
    let entry = Entry { event: "Stop".to_owned(), matcher: Some(String::new()), handler };
    let keys = |value: Value| -> BTreeSet<String> { value.as_object().unwrap().keys().cloned().collect() };
    let ours = |keys: &[&str]| -> BTreeSet<String> { keys.iter().map(|key| (*key).to_owned()).collect() };
    assert_eq!(keys(serde_json::to_value(&entry.handler).unwrap()), ours(&HANDLER_KEYS));
    assert_eq!(keys(serde_json::to_value(Group::new(&entry)).unwrap()), ours(&GROUP_KEYS));
}

#[test]
fn the_files_own_style_is_kept() {
    TEXTS.check_section("style", |file| insert(file, &[entry("Stop", None, "gate")]).unwrap().text);
}
