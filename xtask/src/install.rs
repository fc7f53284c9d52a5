//! `cargo xtask install`

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::build::{Build, Definition};
use crate::place::{self, Place};
use crate::settings::{self, Entry};
use crate::workspace::Workspace;
use crate::{Project, print};

/// What `install` changed in a project, so that `uninstall` can be the inverse.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The settings file was not there.
    pub(crate) created_settings: bool,
    /// The folder that it is in was not there.
    pub(crate) created_folder: bool,
    /// The texts that were inserted into it, in order.
    pub(crate) inserted: Vec<String>,
}

impl Record {
    pub(crate) fn read(place: &Place) -> Result<Option<Self>> {
        let path = place.record();
        let Some(bytes) = place::read(&path)? else {
            return Ok(None);
        };
        let record = serde_json::from_slice(&bytes).with_context(|| format!("reading {}", path.display()))?;
        Ok(Some(record))
    }
}

/// What a settings file holds that `install` creates, before anything is inserted.
pub(crate) const NEW_SETTINGS: &str = "{\n}\n";

pub(crate) fn run(options: &Project) -> Result<()> {
    let workspace = Workspace::find()?;
    let place = Place::find(options.project.as_deref(), workspace.name()?)?;
    // What cannot be edited is refused before minutes are spent on a build.
    let before = read_settings(&place)?;

    let build = Build::new(&workspace);
    let hooks = build.definitions()?;
    let launchers = build.launchers(&hooks)?;

    // Binaries before settings: no entry may name what is not there.
    let bin = place.folder().join("bin");
    let ignore = place.hookkit().join(".gitignore");
    let record = match Record::read(&place)? {
        Some(record) => record,
        None => Record {
            created_settings: before.is_none(),
            created_folder: !place.claude().exists(),
            inserted: Vec::new(),
        },
    };
    fs::create_dir_all(&bin).with_context(|| format!("creating {}", bin.display()))?;
    write_if_changed(&ignore, b"*\n", 0o644)?;
    for (hook, binary) in &launchers {
        let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
        write_if_changed(&place.binary(hook), &bytes, 0o755)?;
    }

    let entries: Vec<Entry> = hooks.iter().map(|hook| entry(hook, &place)).collect();
    let text = before.as_deref().unwrap_or(NEW_SETTINGS);
    let edited = without_ours(text, &record, &place).and_then(|base| settings::insert(&base, &entries));
    let edited = edited.with_context(|| refused(&place))?;
    // The record first: an entry that it does not know of is found by its command, the other way round nothing is lost.
    let record = Record {
        inserted: edited.inserted,
        ..record
    };
    write_if_changed(&place.record(), &serde_json::to_vec_pretty(&record)?, 0o644)?;
    write_if_changed(&place.settings(), edited.text.as_bytes(), 0o644)?;

    // What no entry names any more.
    for file in fs::read_dir(&bin)? {
        let file = file?;
        if !hooks.iter().any(|hook| *hook.name == *file.file_name()) {
            place::remove(&file.path())?;
        }
    }
    print(summary(&hooks, &place))
}

/// The settings file's text, if there is one, checked to be one that can be edited.
pub(crate) fn read_settings(place: &Place) -> Result<Option<String>> {
    let path = place.settings();
    let Some(bytes) = place::read(&path)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
    settings::insert(&text, &[]).with_context(|| refused(place))?;
    Ok(Some(text))
}

/// The text as it would be without this workspace's hooks.
pub(crate) fn without_ours(text: &str, record: &Record, place: &Place) -> Result<String> {
    let prefix = place.command_prefix();
    settings::remove(text, &record.inserted, |command| command.starts_with(&prefix))
}

pub(crate) fn refused(place: &Place) -> String {
    let path = place.settings();
    format!(
        "{} was left untouched; Claude Code ignores a settings file that it cannot read, so mend it first",
        path.display()
    )
}

fn entry(hook: &Definition, place: &Place) -> Entry {
    Entry {
        event: hook.event.clone(),
        matcher: hook.matcher.clone(),
        command: place.command(&hook.name),
        timeout: hook.timeout,
    }
}

fn write_if_changed(path: &std::path::Path, bytes: &[u8], mode: u32) -> Result<()> {
    if place::read(path)?.is_some_and(|present| present == bytes) {
        return Ok(());
    }
    place::replace(path, bytes, mode)
}

fn summary(hooks: &[Definition], place: &Place) -> String {
    let mut text = format!("Installed {} hooks in {}:\n\n", hooks.len(), place.settings().display());
    let width = hooks.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    for hook in hooks {
        let on = match &hook.matcher {
            Some(matcher) => format!("{} {matcher}", hook.event),
            None => hook.event.clone(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:width$}  {}", hook.name, hook.summary());
        let _ = writeln!(text, "  {:width$}  on {on}", "");
    }
    text + "\nClaude Code runs them from now on, in sessions that are already open, too.\nTake them out again: cargo xtask uninstall"
}
