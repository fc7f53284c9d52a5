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
        place.check_folders()?;
        let before = Before::look(place);
        let lock = Lock::take(&place.hookkit(), LIMIT)?;
        // Even of a run that is refused nothing shows in `git status`.
        write::own(&place.gitignore(), b"*\n", 0o644)?;
        let locked = Self {
            place,
            before,
            _lock: lock,
        };
        write::clean(&place.hookkit())?;
        write::recover(place.settings())?;
        Ok(locked)
    }

    /// Makes these the workspace's hooks here, and no others.
    pub(crate) fn install(&self, hooks: &Hooks<'_>) -> Result<()> {
        let place = self.place;
        let known = Known {
            former: installed::former(place, hooks.root)?,
            record: Record::read(place, hooks.root)?.unwrap_or_default(),
            created: Created::read(place, &self.before)?,
        };
        // Somebody may have written since the settings were looked at first. What would be refused is refused before
        // anything is there.
        write::read_as(place.settings(), |bytes| Edit::new(place, hooks, &known, bytes))?;
        known.created.write(place)?;
        let is_first = !place.folder().exists();
        let put = self.put_binaries(hooks).and_then(|()| self.put_entries(hooks, &known));
        if put.is_err() && is_first && self.is_named_nowhere() {
            // What cannot be removed is the next run's.
            let _ = write::remove(&place.folder());
        }
        put?;
        self.sweep(hooks, &known.former)
    }

    fn put_binaries(&self, hooks: &Hooks<'_>) -> Result<()> {
        for (hook, binary) in hooks.binaries {
            let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
            write::own(&self.place.binary(hook), &bytes, 0o755)?;
        }
        Ok(())
    }

    /// Edits the settings, and writes down what was done, before and after.
    fn put_entries(&self, hooks: &Hooks<'_>, known: &Known) -> Result<()> {
        let place = self.place;
        let (mut lost, mut record) = (Vec::new(), Record::default());
        write::edit(place.settings(), |before| {
            let edit = Edit::new(place, hooks, known, before)?;
            // The record before the settings, too: what it does not know of would have to be known by its command.
            edit.created.write(place)?;
            edit.record.write(place)?;
            (lost, record) = (edit.lost, edit.record);
            let is_needed = before.is_some() || !hooks.definitions.is_empty();
            Ok(is_needed.then(|| edit.text.into_bytes()))
        })?;
        installed::tell_lost(place, &lost);
        record.replaced = Inserted::default();
        record.write(place)
    }

    /// Whether no entry can name our binaries: a glance at settings that need not be JSON.
    fn is_named_nowhere(&self) -> bool {
        let command = self.place.command_end("");
        let names = |bytes: Option<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).contains(&command);
        write::read(self.place.settings()).is_ok_and(|bytes| !names(bytes))
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
        let known = Created::read(place, &self.before)?;
        let mut created = known.clone();
        let mut found = ours.iter().any(|(place, _)| place.folder().exists());
        let mut lost = Vec::new();
        write::edit(place.settings(), |before| {
            let Some(before) = before else { return Ok(None) };
            let text = installed::text(before, place)?;
            lost.clear();
            created = known.clone();
            created.settle(Some(&text), place);
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
        created.write(place)?;
        Ok(found)
    }

    /// Removes our own folder, unless hooks are in it.
    fn leave(&self) -> Result<()> {
        let place = self.place;
        let created = Created::read(place, &self.before)?;
        let hookkit = place.hookkit();
        let (lock, created_file, gitignore) = (Lock::file(&hookkit), place.created(), place.gitignore());
        for file in fs::read_dir(&hookkit)? {
            if ![&lock, &created_file, &gitignore].contains(&&file?.path()) {
                return Ok(());
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

impl Drop for Locked<'_> {
    /// Nothing is left of a run that was refused, or that took the last hooks out.
    fn drop(&mut self) {
        // Where it cannot be removed it lies in nobody's way: git does not see it, and the next run goes on with it.
        let _ = self.leave();
    }
}

/// What was written down of a place.
struct Known {
    /// What the workspace installed under other names.
    former: Vec<(Place, Record)>,
    record: Record,
    created: Created,
}

/// What becomes of the settings, and what is to be written down of it.
struct Edit {
    text: String,
    record: Record,
    created: Created,
    /// What of somebody else's goes.
    lost: Vec<String>,
}

impl Edit {
    fn new(place: &Place, hooks: &Hooks<'_>, known: &Known, before: Option<&[u8]>) -> Result<Self> {
        let before = before.map(|bytes| installed::text(bytes, place)).transpose()?;
        if let Some(text) = &before {
            installed::ensure_read(place, text, hooks.is_forced)?;
        }
        let mut record = Record {
            workspace: hooks.root.to_owned(),
            links: hooks.links.clone(),
            ..known.record.clone()
        };
        let (mut created, mut lost) = (known.created.clone(), Vec::new());
        created.settle(before.as_deref(), place);
        let mut text = before.unwrap_or_else(|| NEW_SETTINGS.to_owned());
        let made = created.made_in(&text, place);
        for (former, record) in &known.former {
            text = without_ours(&text, record, made, former, &mut lost)?;
        }
        record.settle(&text);
        let text = edited(text, hooks.definitions, &mut record, made, place, &mut lost)?;
        made.extend(record.inserted.made());
        Ok(Self {
            text,
            record,
            created,
            lost,
        })
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
