//! `cargo xtask install`

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
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
    /// The workspace's root.
    pub(crate) workspace: PathBuf,
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
    /// What an earlier `install` of this workspace wrote down. A record that cannot be read is none: entries are known by
    /// their commands, too.
    pub(crate) fn read(place: &Place, workspace: &Workspace) -> Result<Option<Self>> {
        let bytes = place::read(&place.record())?.unwrap_or_default();
        let Ok(record) = serde_json::from_slice::<Self>(&bytes) else {
            return Ok(None);
        };
        ensure!(
            record.workspace == workspace.root,
            "`{}` is the name of another workspace's hooks here, {}\n\
             Give this one a name of its own in its Cargo.toml: [workspace.metadata.hookkit] name = \"…\"\n\
             If the other one was moved or is gone, remove {}",
            place.workspace,
            record.workspace.display(),
            place.record().display()
        );
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
    read_settings(&place)?;
    Record::read(&place, &workspace)?;

    let build = Build::new(&workspace, link, &toolchain)?;
    let hooks = build.definitions()?;
    let launchers = if hooks.is_empty() {
        BTreeMap::new()
    } else {
        build.launchers(&hooks)?
    };

    // Somebody may have edited the settings meanwhile.
    let before = read_settings(&place)?;
    let mut record = match Record::read(&place, &workspace)? {
        Some(record) => record,
        None => Record {
            workspace: workspace.root.clone(),
            created_settings: before.is_none(),
            created_folder: !place.claude().exists(),
            ..Record::default()
        },
    };
    record.links = hooks.iter().map(|hook| (hook.name.clone(), build.link(hook))).collect();
    let text = before.as_deref().unwrap_or(NEW_SETTINGS);
    let entries: Vec<Entry> = hooks.iter().map(|hook| entry(hook, &place)).collect();
    let prefix = place.command_prefix();
    let after = if settings::is_current(text, &entries, |command| command.starts_with(&prefix)) {
        None
    } else {
        let edited = without_ours(text, &record, &place).and_then(|base| settings::insert(&base, &entries));
        let edited = edited.with_context(|| refused(&place))?;
        record.inserted = edited.inserted;
        Some(edited.text)
    };

    // Binaries before settings: no entry may name what is not there.
    place::write(&place.hookkit().join(".gitignore"), b"*\n", 0o644)?;
    for (hook, binary) in &launchers {
        let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
        place::write(&place.binary(hook), &bytes, 0o755)?;
    }
    // The record before the settings, too: what it does not know of would have to be known by its command.
    place::write(&place.record(), &serde_json::to_vec_pretty(&record)?, 0o644)?;
    if let Some(after) = after {
        place::write_foreign(&place.settings(), after.as_bytes())?;
    }

    // What no entry names any more.
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

/// The hook as it shall stand in the settings.
pub(crate) fn entry(hook: &Definition, place: &Place) -> Entry {
    Entry {
        event: hook.event.clone(),
        matcher: hook.matcher.clone(),
        command: place.command(&hook.name),
        timeout: hook.timeout,
    }
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
