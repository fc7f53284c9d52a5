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
    pub(crate) fn new(place: &'p Place) -> Result<Self> {
        let before = Before::look(place);
        let lock = Lock::take(&place.hookkit(), LIMIT)?;
        let locked = Self {
            place,
            before,
            _lock: lock,
        };
        locked.recover()?;
        Ok(locked)
    }

    /// Takes away what a run that was killed has left.
    fn recover(&self) -> Result<()> {
        let place = self.place;
        write::clean(&place.hookkit())?;
        write::recover(place.settings())
    }

    /// The hooks of the workspace that are installed: they are in the record, or the settings of a clone name them.
    pub(crate) fn hooks(&self, root: &Path) -> Result<BTreeSet<String>> {
        hooks(self.place, root)
    }

    /// Makes these the workspace's hooks here, and no others.
    pub(crate) fn install(&self, hooks: &Hooks<'_>) -> Result<()> {
        let place = self.place;
        let former = installed::former(place, hooks.root)?;
        let record = Record::read(place, hooks.root)?.unwrap_or_default();
        let created = Created::read(place, &self.before)?;
        // Somebody may have written since the settings were looked at first. What is refused is refused before anything
        // of ours is there.
        if let Some(text) = installed::settings(place)? {
            installed::tell_findings(place, &text, hooks.is_forced)?;
        }

        write::own(&place.hookkit().join(".gitignore"), b"*\n", 0o644)?;
        created.write(place)?;
        for (hook, binary) in hooks.binaries {
            let bytes = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
            write::own(&place.binary(hook), &bytes, 0o755)?;
        }
        write::edit(place.settings(), |before| {
            let before = before.map(|bytes| installed::text(bytes, place)).transpose()?;
            if let Some(text) = &before {
                installed::tell_findings(place, text, hooks.is_forced)?;
            }
            let mut created = created.clone();
            created.settle(before.as_deref(), place);
            let mut record = Record {
                workspace: hooks.root.to_owned(),
                links: hooks.links.clone(),
                ..record.clone()
            };
            let mut text = before.clone().unwrap_or_else(|| NEW_SETTINGS.to_owned());
            let made = created.made_in(&text, place);
            for (former, record) in &former {
                text = without_ours(&text, record, made, former).with_context(|| installed::refused(place))?;
            }
            record.settle(&text);
            let after = edited(text, hooks.definitions, &mut record, made, place)?;
            made.extend(record.inserted.made());
            // The record before the settings, too: what it does not know of would have to be known by its command.
            created.write(place)?;
            record.write(place)?;
            let is_needed = before.is_some() || !hooks.definitions.is_empty();
            Ok(is_needed.then(|| after.into_bytes()))
        })?;

        if let Some(mut record) = Record::read(place, hooks.root)? {
            record.replaced = Inserted::default();
            record.write(place)?;
        }

        // What no entry names any more.
        for (former, _) in &former {
            write::remove(&former.folder())?;
        }
        for file in fs::read_dir(place.folder().join("bin")).into_iter().flatten() {
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
        write::edit(place.settings(), |before| {
            let Some(before) = before else { return Ok(None) };
            let text = installed::text(before, place)?;
            let mut rest = text.clone();
            let made = created.made_in(&text, place);
            for (place, record) in &ours {
                rest = without_ours(&rest, record, made, place).with_context(|| installed::refused(place))?;
            }
            found |= rest != text;
            let is_empty =
                || serde_json::from_str(&rest).is_ok_and(|rest: serde_json::Value| rest == serde_json::json!({}));
            let goes = created.settings.contains(place.name()) && is_empty();
            Ok((!goes).then(|| rest.into_bytes()))
        })?;
        for (place, _) in &ours {
            write::remove(&place.folder())?;
        }
        if !place.settings().exists() {
            created.settings.remove(place.name());
        }
        self.leave(&created)?;
        Ok(found)
    }

    /// Removes our own folder, unless other hooks are in it.
    fn leave(&self, created: &Created) -> Result<()> {
        let place = self.place;
        let hookkit = place.hookkit();
        let (lock, created_file) = (Lock::file(&hookkit), place.created());
        let gitignore = hookkit.join(".gitignore");
        let is_ours = |path: PathBuf| [&lock, &created_file, &gitignore].contains(&&path);
        for file in fs::read_dir(&hookkit)? {
            if !is_ours(file?.path()) {
                return created.write(place);
            }
        }
        write::remove(&gitignore)?;
        write::remove(&created_file)?;
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

/// See [`Locked::hooks`]; not locked, it is a snapshot.
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

/// The settings with these hooks and no others of this workspace's.
fn edited(text: String, hooks: &[Definition], record: &mut Record, made: &Made, place: &Place) -> Result<String> {
    let entries: Vec<Entry> = hooks.iter().flat_map(|hook| installed::entries(hook, place)).collect();
    if settings::is_current(&text, &entries, |command| place.is_ours(command)) {
        return Ok(text);
    }
    let base = without_ours(&text, record, made, place);
    let edited = base.and_then(|base| settings::insert(&base, &entries));
    let edited = edited.with_context(|| installed::refused(place))?;
    if record.inserted != edited.inserted {
        record.replaced = std::mem::replace(&mut record.inserted, edited.inserted);
    }
    Ok(edited.text)
}

#[cfg(test)]
mod tests;
