//! What of this workspace is installed in a project: the record, and the settings file.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::definition::{Definition, Mode, OnEvent};
use crate::link::Link;
use crate::place::{self, Place};
use crate::settings::{self, Entry, Handler};
use crate::workspace::Workspace;

/// What `install` changed in a project, so that `uninstall` can be the inverse.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The workspace's root.
    pub(crate) workspace: PathBuf,
    /// The settings file was not there.
    pub(crate) created_settings: bool,
    /// The folder that it is in was not there.
    pub(crate) created_folder: bool,
    /// What was inserted into it.
    pub(crate) inserted: settings::Inserted,
    /// How each hook is linked.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, Link>,
}

impl Record {
    /// What an earlier `install` of this workspace wrote down. A record that cannot be read is none: entries are known by
    /// their commands, too.
    pub(crate) fn read(place: &Place, workspace: &Workspace) -> Result<Option<Self>> {
        let Some(record) = Self::read_any(place)? else {
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

    fn read_any(place: &Place) -> Result<Option<Self>> {
        let bytes = place::read(&place.record())?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).ok())
    }
}

/// What the workspace has installed under other names that it had before.
pub(crate) fn former(place: &Place, workspace: &Workspace) -> Result<Vec<(Place, Record)>> {
    let mut former = Vec::new();
    for other in place.others() {
        if let Some(record) = Record::read_any(&other)?
            && record.workspace == workspace.root
        {
            former.push((other, record));
        }
    }
    Ok(former)
}

/// What a settings file holds that `install` creates, before anything is inserted.
pub(crate) const NEW_SETTINGS: &str = "{\n}\n";

/// The settings file's text, if there is one, checked to be one that can be edited.
pub(crate) fn settings(place: &Place) -> Result<Option<String>> {
    let path = place.settings();
    let Some(bytes) = place::read(&path)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes).with_context(|| format!("{} is not UTF-8", path.display()))?;
    settings::insert(&text, &[]).with_context(|| refused(place))?;
    Ok(Some(text))
}

/// Says what Claude Code would not read of the settings, whoever wrote it.
///
/// # Errors
///
/// Where it would read nothing of them, so that hooks would not run, unless that is wanted.
pub(crate) fn tell_findings(place: &Place, text: &str, is_forced: bool) -> Result<()> {
    let path = place.settings();
    let findings = settings::findings(text)?;
    for finding in &findings {
        // With stderr closed there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "warning: {}: {finding}", path.display());
    }
    if !is_forced && findings.iter().any(|finding| finding.loss == settings::Loss::File) {
        bail!(
            "{} was left untouched: Claude Code would run none of the hooks in it; mend it first, or go on with --force",
            path.display()
        );
    }
    Ok(())
}

/// The text as it would be without this workspace's hooks.
pub(crate) fn without_ours(text: &str, record: &Record, place: &Place) -> Result<String> {
    let removed = settings::remove(text, &record.inserted, |command| place.is_ours(command))?;
    for lost in &removed.lost {
        let _ = writeln!(std::io::stderr(), "note: {}: {lost}", place.settings().display());
    }
    Ok(removed.text)
}

/// What to say of a settings file that cannot be edited.
pub(crate) fn refused(place: &Place) -> String {
    let path = place.settings();
    format!(
        "{} was left untouched; Claude Code ignores a settings file that it cannot read, so mend it first",
        path.display()
    )
}

/// The hook as it shall stand in the settings, once for each of its events.
pub(crate) fn entries(hook: &Definition, place: &Place) -> Vec<Entry> {
    let entry = |entry: &OnEvent| Entry {
        event: entry.event.clone(),
        matcher: entry.matcher.clone(),
        handler: Handler {
            condition: hook.condition.clone(),
            timeout: hook.timeout,
            status_message: hook.status_message.clone(),
            on_failure: entry.blocks_in_settings.then_some("block"),
            r#async: (hook.mode == Some(Mode::Async)).then_some(true),
            async_rewake: (hook.mode == Some(Mode::AsyncRewake)).then_some(true),
            ..Handler::new(place.command(&hook.name))
        },
    };
    hook.entries.iter().map(entry).collect()
}
