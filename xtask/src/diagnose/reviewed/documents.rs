//! Entries from JSON files: settings, hooks, plugin manifests, and servers.
//!
//! Every member of settings is an entry, except the listed ones that start nothing and guard nothing.

use std::path::{Path, PathBuf};

use hookkit_protocol::settings::{HARMLESS_FLAGS, HARMLESS_TEXTS};
use serde_json::Value as Json;

use super::entry::Entry;
use super::found::{Finder, Place};
use crate::diagnose::active::source::read_as_the_client;
use crate::settings::document::Document;
use crate::settings::part::Part;
use crate::settings::position::Places;
use crate::settings::reading::{self, ReadHandler, Reading};
use crate::settings::value::{List, Member, Object, Value};

/// Members that get one entry for each sub-member.
const OPENED: &[&str] =
    &["enabledPlugins", "env", "extraKnownMarketplaces", "lspServers", "mcpServers", "permissions", "pluginConfigs"];

/// Members that contain no files to run.
const NAME_NO_FILES: &[&str] = &["enabledPlugins", "extraKnownMarketplaces", "permissions"];

/// Adds the entries of a file, and of the files that its commands mention. Relative paths start in one of these
/// folders. Returns the file's value if it is JSON.
pub(super) fn add(finder: &mut Finder<'_>, file: &Path, part: &Part<'_>, bases: &[PathBuf]) -> Option<Json> {
    let bytes = finder.read(file)?;
    // The client ignores a file that is not plain JSON.
    if serde_json::from_slice::<Json>(&bytes).is_err() {
        finder.whole(file, &bytes);
    }
    let text = read_as_the_client(&bytes);
    let document = Document::parse(&text).ok()?;
    let reading = reading::read(&document, part);
    for hook in &reading.handlers {
        let place = Place::at(file, hook.place.line);
        let value = with_matcher(hook);
        finder.called(strings(&hook.values), bases, &place);
        finder.add(Entry::new(file, format!("hooks.{}", hook.event), &value), place);
    }
    let mut places = Places::new(&text);
    for member in &document.root.members {
        let place = Place::at(file, places.of(member.name_range.start).line);
        let value = member.value.plain();
        if member.name == "hooks" {
            if !is_whole(member, &document, &reading) {
                finder.called(strings(&value), bases, &place);
                finder.add(Entry::new(file, "hooks", &value), place);
            }
            continue;
        }
        if *part == Part::Settings && is_harmless(member) {
            continue;
        }
        if !NAME_NO_FILES.contains(&&*member.name) {
            finder.called(strings(&value), bases, &place);
        }
        if member.name == "env" {
            for (name, value) in value.as_object().into_iter().flatten() {
                let value = value.as_str().unwrap_or_default();
                finder.called([&*format!("{name}={value}")], bases, &place);
                if name.ends_with("PATH") {
                    finder.searched(value, bases, &place);
                }
            }
        }
        // A local file that git does not ignore can contain the user's secrets, and the list is committed.
        let is_secret = member.name == "env" && file.ends_with(".claude/settings.local.json");
        for (name, value) in parts(member) {
            let entry = Entry::new(file, name, &value);
            finder.add(if is_secret { entry.hidden() } else { entry }, place.clone());
        }
    }
    Some(document.root.plain())
}

/// Adds the entries of a cargo or rustup file in a folder: one for each member of a table.
pub(super) fn add_toml(finder: &mut Finder<'_>, folder: &Path, name: &str) {
    let file = folder.join(name);
    let place = Place::of(&file);
    let Some(bytes) = finder.read(&file) else {
        return;
    };
    let own = file.parent().unwrap_or(folder).to_owned();
    let bases = [folder.to_owned(), own, PathBuf::new()];
    let text = String::from_utf8_lossy(&bytes);
    let Ok(Json::Object(tables)) = toml_edit::de::from_str(&text) else {
        finder.called([&*text], &bases, &place);
        return finder.whole(&file, &bytes);
    };
    for (table, value) in tables {
        finder.called(strings(&value), &bases, &place);
        let members: Vec<_> = match value {
            Json::Object(members) => {
                let members = members.into_iter();
                members.map(|(name, value)| (format!("{table}.{name}"), value)).collect()
            }
            value => vec![(table, value)],
        };
        for (part, value) in members {
            // A folder that contains a toolchain.
            if part == "toolchain.path" {
                finder.searched(&format!("{}/bin", value.as_str().unwrap_or_default()), &bases, &place);
            }
            finder.add(Entry::new(&file, part, &value), place.clone());
        }
    }
}

/// Returns a hook with its group's matcher.
fn with_matcher(hook: &ReadHandler) -> Json {
    let mut value = hook.values.clone();
    if let (Some(matcher), Some(members)) = (&hook.matcher, value.as_object_mut()) {
        // A hook has no matcher itself.
        let name = ["matcher", "matcher of the group"].into_iter().find(|name| !members.contains_key(*name));
        members.insert(name.unwrap_or_default().to_owned(), matcher.as_str().into());
    }
    value
}

/// Returns `true` if all members of `hooks` were read as hooks.
fn is_whole(member: &Member, document: &Document, reading: &Reading) -> bool {
    let range = member.range();
    let is_last = document.root.get("hooks").is_some_and(|last| last.range() == member.value.range());
    is_last
        && member.value.as_object().is_some_and(are_lists)
        && reading.left_out == 0
        && !reading.findings.iter().any(|found| range.contains(&found.range.start))
}

/// Returns `true` if each event has a list of objects.
fn are_lists(hooks: &Object) -> bool {
    let is_list = |groups: &List| groups.elements.iter().all(|group| group.as_object().is_some());
    hooks.members.iter().all(|event| event.value.as_list().is_some_and(is_list))
}

/// Returns `true` if a setting starts nothing and guards nothing.
fn is_harmless(member: &Member) -> bool {
    match member.value {
        Value::Text(..) => HARMLESS_TEXTS.contains(&&*member.name),
        Value::Flag(..) => HARMLESS_FLAGS.contains(&&*member.name),
        _ => false,
    }
}

/// Returns the parts of a member to compare, with their names. A list of strings has one part per element.
fn parts(member: &Member) -> Vec<(String, Json)> {
    let named = |name: String, value: &Value| elements(value).into_iter().map(move |value| (name.clone(), value));
    match &member.value {
        Value::Object(object) if OPENED.contains(&&*member.name) => {
            let inner = object.members.iter();
            inner.flat_map(|inner| named(format!("{}.{}", member.name, inner.name), &inner.value)).collect()
        }
        value => named(member.name.clone(), value).collect(),
    }
}

/// Returns the elements of a list of strings, or any other value unchanged.
fn elements(value: &Value) -> Vec<Json> {
    let list = value.elements();
    if !list.is_empty() && list.iter().all(|value| value.as_text().is_some()) {
        list.iter().map(Value::plain).collect()
    } else {
        vec![value.plain()]
    }
}

/// Returns all strings in a value.
fn strings(value: &Json) -> Vec<&str> {
    match value {
        Json::String(text) => vec![text],
        Json::Array(values) => values.iter().flat_map(strings).collect(),
        Json::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
