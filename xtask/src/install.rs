//! `cargo xtask install`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::build::{Build, Definition};
use crate::link::{Link, Toolchain};
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
    /// How each hook is linked.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, Link>,
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

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    project: Project,
    /// Link all hooks dynamically, for dependencies that cannot be linked statically
    #[arg(long)]
    dynamic: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = Workspace::find()?;
    let place = Place::find(options.project.project.as_deref(), workspace.name()?)?;
    let toolchain = Toolchain::find(&workspace.root)?;
    let link = if options.dynamic {
        Link::Dynamic
    } else {
        toolchain.best()
    };
    // What cannot be edited is refused before minutes are spent on a build.
    let before = read_settings(&place)?;

    let build = Build::new(&workspace, link, &toolchain)?;
    let hooks = build.definitions()?;
    let launchers = if hooks.is_empty() {
        BTreeMap::new()
    } else {
        build.launchers(&hooks)?
    };

    // Binaries before settings: no entry may name what is not there.
    let bin = place.folder().join("bin");
    let ignore = place.hookkit().join(".gitignore");
    let record = match Record::read(&place)? {
        Some(record) => record,
        None => Record {
            created_settings: before.is_none(),
            created_folder: !place.claude().exists(),
            ..Record::default()
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
        links: hooks.iter().map(|hook| (hook.name.clone(), build.link(hook))).collect(),
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
    let options = match &options.project.project {
        Some(project) => format!(" --project {}", quoted(&project.display().to_string())),
        None => String::new(),
    };
    print(summary(
        &hooks,
        &place,
        &record.links,
        toolchain.advice().as_deref(),
        &options,
    ))
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

fn summary(
    hooks: &[Definition],
    place: &Place,
    links: &BTreeMap<String, Link>,
    advice: Option<&str>,
    options: &str,
) -> String {
    let count = match hooks.len() {
        1 => "1 hook".to_owned(),
        count => format!("{count} hooks"),
    };
    let mut text = format!("Installed {count} in {}\n\n", place.settings().display());
    let width = hooks.iter().map(|hook| hook.name.len()).max().unwrap_or_default();
    for hook in hooks {
        let on = match &hook.matcher {
            Some(matcher) => format!("{} {matcher}", hook.event),
            None => hook.event.clone(),
        };
        let link = links.get(&hook.name).copied().unwrap_or(Link::Dynamic);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {:width$}  {}", hook.name, hook.summary());
        let _ = writeln!(text, "  {:width$}  on {on}; {link}", "");
    }
    text += "\nClaude Code runs them from now on, in sessions that are already open, too.\n\
             Commit settings.json to share them: whoever clones the project runs `install` once, too.\n";
    if let Some(advice) = advice {
        text = text + advice + "\n";
    }
    format!("{text}Take them out again: cargo xtask uninstall{options}")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-~+".contains(char);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
