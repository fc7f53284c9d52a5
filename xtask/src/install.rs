//! `cargo xtask install`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};
use clap::Args;

use crate::build::Build;
use crate::definition::Definition;
use crate::installed::{self, NEW_SETTINGS, Record};
use crate::link::{Link, Toolchain};
use crate::place::{self, Place};
use crate::settings::{self, Entry};
use crate::workspace::Workspace;
use crate::{Project, print};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    project: Project,
    /// Link all hooks dynamically, for dependencies that cannot be linked statically
    #[arg(long)]
    dynamic: bool,
    /// Add the hooks even to settings of which Claude Code reads nothing as they are
    #[arg(long)]
    force: bool,
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
    if let Some(text) = installed::settings(&place)? {
        installed::tell_findings(&place, &text, options.force)?;
    }
    Record::read(&place, &workspace)?;

    let build = Build::new(&workspace, link, &toolchain)?;
    let hooks = build.definitions()?;
    let launchers = if hooks.is_empty() {
        BTreeMap::new()
    } else {
        build.launchers(&hooks)?
    };

    // Somebody may have edited the settings meanwhile.
    let before = installed::settings(&place)?;
    let former = installed::former(&place, &workspace)?;
    let mut record = match Record::read(&place, &workspace)? {
        Some(record) => record,
        None => Record {
            workspace: workspace.root.clone(),
            created_settings: before.is_none() || former.iter().any(|(_, former)| former.created_settings),
            created_folder: !place.claude().exists() || former.iter().any(|(_, former)| former.created_folder),
            ..Record::default()
        },
    };
    record.links = hooks.iter().map(|hook| (hook.name.clone(), build.link(hook))).collect();
    let mut text = before.unwrap_or_else(|| NEW_SETTINGS.to_owned());
    for (former, record) in &former {
        text = installed::without_ours(&text, record, former).with_context(|| installed::refused(&place))?;
    }
    let after = edit(text, &hooks, &mut record, &place)?;

    // Binaries before settings: no entry may name what is not there.
    place::write(&place.hookkit().join(".gitignore"), b"*\n", 0o644)?;
    for (hook, binary) in &launchers {
        let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
        place::write(&place.binary(hook), &bytes, 0o755)?;
    }
    // The record before the settings, too: what it does not know of would have to be known by its command.
    place::write(&place.record(), &serde_json::to_vec_pretty(&record)?, 0o644)?;
    if !(hooks.is_empty() && record.created_settings && after == NEW_SETTINGS) {
        place::write_foreign(&place.settings(), after.as_bytes())?;
    }

    // What no entry names any more.
    for (former, _) in &former {
        place::remove(&former.folder())?;
    }
    for file in fs::read_dir(place.folder().join("bin")).into_iter().flatten() {
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

/// The settings with these hooks and no others of this workspace's.
fn edit(text: String, hooks: &[Definition], record: &mut Record, place: &Place) -> Result<String> {
    let entries: Vec<Entry> = hooks.iter().flat_map(|hook| installed::entries(hook, place)).collect();
    if settings::is_current(&text, &entries, |command| place.is_ours(command)) {
        return Ok(text);
    }
    let base = installed::without_ours(&text, record, place);
    let edited = base.and_then(|base| settings::insert(&base, &entries));
    let edited = edited.with_context(|| installed::refused(place))?;
    record.inserted = edited.inserted;
    Ok(edited.text)
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
        let link = links.get(&hook.name).copied().unwrap_or(Link::Dynamic);
        // Writing to a string cannot fail.
        let mut first = hook.name.as_str();
        if !hook.summary().is_empty() {
            let _ = writeln!(text, "  {first:width$}  {}", hook.summary());
            first = "";
        }
        let _ = writeln!(text, "  {first:width$}  on {}; {link}", hook.subject());
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
