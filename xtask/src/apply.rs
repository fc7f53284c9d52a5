//! What `install` and `uninstall` do to a place, in which order.
//!
//! Binaries before settings, and the other way round on removal: killed at any instant, a run leaves no entry that names
//! what is not there.
//! A run that was killed is mended by the next one, which finds what was left by its name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::definition::Definition;
use crate::installed::{self, Before, Created, NEW_SETTINGS, Record, without_ours};
use crate::link::Link;
use crate::lock::Lock;
use crate::place::Place;
use crate::settings::{self, Entry, Inserted, Made};
use crate::write;

/// How long another run is waited for. None needs more than a second of the place.
const LIMIT: Duration = Duration::from_secs(30);

/// What is to be installed.
pub(crate) struct Hooks<'h> {
    /// The workspace's root.
    pub(crate) root: &'h Path,
    pub(crate) definitions: &'h [Definition],
    /// Where each is built, by the hook's name.
    pub(crate) binaries: &'h BTreeMap<String, PathBuf>,
    pub(crate) links: BTreeMap<String, Link>,
    /// Whether they go into settings of which the client reads nothing, too.
    pub(crate) is_forced: bool,
}

/// A place that nobody else changes meanwhile.
pub(crate) struct Locked<'p> {
    place: &'p Place,
    before: Before,
    _lock: Lock,
}

impl<'p> Locked<'p> {
    /// Waits for the place, and takes away what a run that was killed has left.
    pub(crate) fn new(place: &'p Place) -> Result<Self> {
        let before = Before::look(place);
        let lock = Lock::take(&place.hookkit(), LIMIT)?;
        // Even of a run that is refused nothing shows in `git status`.
        write::own(&place.gitignore(), b"*\n", 0o644)?;
        write::clean(&place.hookkit())?;
        write::recover(place.settings())?;
        Ok(Self {
            place,
            before,
            _lock: lock,
        })
    }

    /// Makes these the workspace's hooks here, and no others.
    pub(crate) fn install(&self, hooks: &Hooks<'_>) -> Result<()> {
        let place = self.place;
        let former = installed::former(place, hooks.root)?;
        let record = Record::read(place, hooks.root)?.unwrap_or_default();
        let created = Created::read(place, &self.before)?;
        // Somebody may have written since the settings were looked at first.
        if let Some(text) = installed::settings(place)? {
            installed::ensure_read(place, &text, hooks.is_forced)?;
        }
        created.write(place)?;
        self.put_binaries(hooks)?;
        self.put_entries(hooks, &former, &record, &created)?;
        self.sweep(hooks, &former)
    }

    fn put_binaries(&self, hooks: &Hooks<'_>) -> Result<()> {
        for (hook, binary) in hooks.binaries {
            let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
            write::own(&self.place.binary(hook), &bytes, 0o755)?;
        }
        Ok(())
    }

    /// Edits the settings, and writes down what was done, before and after.
    fn put_entries(
        &self,
        hooks: &Hooks<'_>,
        former: &[(Place, Record)],
        known: &Record,
        created: &Created,
    ) -> Result<()> {
        let place = self.place;
        let mut lost = Vec::new();
        let mut record = Record::default();
        write::edit(place.settings(), |before| {
            let before = before.map(|bytes| installed::text(bytes, place)).transpose()?;
            if let Some(text) = &before {
                installed::ensure_read(place, text, hooks.is_forced)?;
            }
            lost.clear();
            record = Record {
                workspace: hooks.root.to_owned(),
                links: hooks.links.clone(),
                ..known.clone()
            };
            let mut created = created.clone();
            created.settle(before.as_deref(), place);
            let mut text = before.clone().unwrap_or_else(|| NEW_SETTINGS.to_owned());
            let made = created.made_in(&text, place);
            for (former, record) in former {
                text = without_ours(&text, record, made, former, &mut lost)?;
            }
            record.settle(&text);
            let after = edited(text, hooks.definitions, &mut record, made, place, &mut lost)?;
            made.extend(record.inserted.made());
            // The record before the settings, too: what it does not know of would have to be known by its command.
            created.write(place)?;
            record.write(place)?;
            let is_needed = before.is_some() || !hooks.definitions.is_empty();
            Ok(is_needed.then(|| after.into_bytes()))
        })?;
        installed::tell_lost(place, &lost);
        record.replaced = Inserted::default();
        record.write(place)
    }

    /// Removes what no entry names any more.
    fn sweep(&self, hooks: &Hooks<'_>, former: &[(Place, Record)]) -> Result<()> {
        for (former, _) in former {
            write::remove(&former.folder())?;
        }
        for file in fs::read_dir(self.place.folder().join("bin")).into_iter().flatten() {
            let file = file?;
            let is_ours = |hook: &Definition| *hook.name == *file.file_name();
            if !hooks.definitions.iter().any(is_ours) {
                write::remove(&file.path())?;
            }
        }
        Ok(())
    }

    /// Takes the workspace's hooks out; false if there was nothing of them.
    fn uninstall(&self, root: &Path) -> Result<bool> {
        let place = self.place;
        let record = Record::read(place, root)?.unwrap_or_default();
        let mut ours = installed::former(place, root)?;
        ours.insert(0, (place.clone(), record));
        let mut created = Created::read(place, &self.before)?;
        let mut found = ours.iter().any(|(place, _)| place.folder().exists());
        let mut lost = Vec::new();
        write::edit(place.settings(), |before| {
            let Some(before) = before else { return Ok(None) };
            let text = installed::text(before, place)?;
            lost.clear();
            let mut rest = text.clone();
            let made = created.made_in(&text, place);
            for (place, record) in &ours {
                rest = without_ours(&rest, record, made, place, &mut lost)?;
            }
            found |= rest != text;
            let goes = created.settings.contains(place.name())
                && serde_json::from_str(&rest).is_ok_and(|rest: Value| rest == json!({}));
            Ok((!goes).then(|| rest.into_bytes()))
        })?;
        installed::tell_lost(place, &lost);
        for (place, _) in &ours {
            write::remove(&place.folder())?;
        }
        if !place.settings().exists() {
            created.settings.remove(place.name());
        }
        self.remove_folder(&created)?;
        Ok(found)
    }

    /// Removes our own folder, unless other hooks are in it.
    fn remove_folder(&self, created: &Created) -> Result<()> {
        let place = self.place;
        let hookkit = place.hookkit();
        let (lock, created_file, gitignore) = (Lock::file(&hookkit), place.created(), place.gitignore());
        for file in fs::read_dir(&hookkit)? {
            if ![&lock, &created_file, &gitignore].contains(&&file?.path()) {
                return created.write(place);
            }
        }
        write::remove(&created_file)?;
        write::remove(&gitignore)?;
        // Whoever waits for the lock sees that its file is gone. What is created from now on stays, since a folder that
        // holds something cannot be removed.
        write::remove(&lock)?;
        let _ = fs::remove_dir(&hookkit);
        if created.folder {
            let _ = fs::remove_dir(place.claude());
        }
        Ok(())
    }
}

/// The hooks of the workspace that are installed: they are in the record, or the settings of a clone name them.
///
/// Where the place is not locked, that is a snapshot.
pub(crate) fn hooks(place: &Place, root: &Path) -> Result<BTreeSet<String>> {
    let record = Record::read(place, root)?.unwrap_or_default();
    let text = installed::settings(place)?.unwrap_or_default();
    let mut hooks = installed::named(&text, place);
    hooks.extend(record.links.into_keys());
    Ok(hooks)
}

/// Takes the workspace's hooks out of a place; false if there was nothing of them.
pub(crate) fn uninstall(place: &Place, root: &Path) -> Result<bool> {
    // Where there is nothing the lock would be the first of our files.
    let text = installed::settings(place)?.unwrap_or_default();
    if !place.hookkit().exists() && installed::named(&text, place).is_empty() {
        return Ok(false);
    }
    Locked::new(place)?.uninstall(root)
}

/// The settings with these hooks and no others of this workspace's. What goes with the old ones is added to `lost`.
fn edited(
    text: String,
    hooks: &[Definition],
    record: &mut Record,
    made: &Made,
    place: &Place,
    lost: &mut Vec<String>,
) -> Result<String> {
    let entries: Vec<Entry> = hooks.iter().flat_map(|hook| installed::entries(hook, place)).collect();
    if settings::is_current(&text, &entries, |command| place.is_ours(command)) {
        return Ok(text);
    }
    let base = without_ours(&text, record, made, place, lost)?;
    let edited = settings::insert(&base, &entries).with_context(|| installed::refused(place))?;
    if record.inserted != edited.inserted {
        record.replaced = std::mem::replace(&mut record.inserted, edited.inserted);
    }
    Ok(edited.text)
}

#[cfg(test)]
mod tests;
