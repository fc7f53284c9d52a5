//! What `install` and `uninstall` do to a place, in which order.
//!
//! Binaries before settings, and the other way round on removal: killed at any instant, a run leaves no entry that names
//! what is not there.
//! A run that was killed is fixed by the next one, which finds what was left by its name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::build::definition::Definition;
use crate::build::link::Link;
use crate::cargo::location::{self, Location};
use crate::disk::beneath::{Beneath, if_there};
use crate::disk::journal::Run;
use crate::disk::{files, write};
use crate::settings::document::Document;
use crate::settings::edit::{self, Inserted, Made};
use crate::settings::entries::Entry;
use crate::settings::installed::{self, NEW_SETTINGS, without_ours};
use crate::settings::pinned::{self, Pin};
use crate::settings::place::{Place, STARTUP};
use crate::settings::record::{self, CREATED, Created, Record};
use crate::settings::sources::{self, Identity, Source, Sources};
use crate::settings::startup;
use crate::terminal::{quoted, tell};

/// The text that keeps our own folder out of git.
const IGNORED: &[u8] = b"*\n";

/// What is to be installed.
pub(crate) struct Hooks<'h> {
    /// The workspace's root.
    pub(crate) root: &'h Path,
    pub(crate) definitions: &'h [Definition],
    /// Where each is built, by the hook's name.
    pub(crate) binaries: &'h BTreeMap<String, PathBuf>,
    pub(crate) links: BTreeMap<String, Link>,
    /// The hooks that were chosen, for the project's own file; `None` is all.
    pub(crate) chosen: Option<BTreeSet<String>>,
    /// Whether they go into settings of which the client reads nothing, too.
    pub(crate) is_forced: bool,
}

/// A place that no other run changes meanwhile.
pub(crate) struct Locked<'p> {
    place: &'p Place,
    run: Run<'p>,
}

impl<'p> Locked<'p> {
    /// Waits for the place, and takes away what a run that was killed has left.
    pub(crate) fn new(place: &'p Place) -> Result<Self> {
        place.check_folders()?;
        let run = Run::begin(place.area())?;
        Ok(Self { place, run })
    }

    /// Makes these the workspace's hooks here, and no others.
    pub(crate) fn install(&self, hooks: &Hooks<'_>) -> Result<()> {
        let place = self.place;
        // Another workspace may have taken the name since.
        let ours = installed::ensure_ours(place, hooks.root)?;
        let mut known = Known {
            former: installed::former(place, hooks.root, &ours)?,
            record: Record::read(place)?.unwrap_or_default(),
            created: Created::read(place)?,
        };
        let source = self.source(hooks, &ours)?;
        // Somebody may have written since the settings were looked at first. What would be refused is refused before
        // anything is there.
        let (bytes, _) = write::read_as(&place.file(), |bytes| Edit::new(place, hooks, &known, bytes))?;
        if let Some(bytes) = bytes.filter(|_| ours == Identity::New && place.is_shared()) {
            let text = installed::parsed(&bytes, place)?;
            installed::ensure_proven(place, hooks.root, &text, &entries(hooks.definitions, place))?;
        }
        known.created.write(place)?;
        let is_first = known.record.binaries.is_empty();
        let put = self.put_binaries(hooks, &mut known.record);
        let put = put.and_then(|()| self.put_entries(hooks, &known));
        if put.is_err() && is_first && is_named_nowhere(place) {
            // What cannot be removed is the next run's.
            let _ = self.remove(place, &known.record).and_then(|()| self.remove_startup());
        }
        let record = put?;
        if let Some((source, pin)) = &source {
            self.put_source(source, pin, &ours)?;
            write::own(&self.run, &startup::built(place), pin.line().as_bytes(), 0o644)?;
        }
        self.sweep(hooks, &known.former, record)
    }

    /// Returns the workspace's entries in the project's own files, after a check that these can be written.
    fn source(&self, hooks: &Hooks<'_>, ours: &Identity) -> Result<Option<(Source, Pin)>> {
        let Some(project) = self.place.project().filter(|_| self.place.is_shared()) else {
            return Ok(None);
        };
        for file in [
            sources::file(self.place),
            pinned::file(self.place),
            startup::file(self.place),
        ] {
            write::check_file(&file, &file.path())?;
        }
        startup::ensure_writable(self.place)?;
        let location = Location::of(hooks.root, project)?;
        let before = ours.source().cloned().unwrap_or_else(|| Source::of(&location));
        let mut source = before.at(&location);
        source.hooks.clone_from(&hooks.chosen);
        let mut pin = Pin::new(hooks.definitions, self.place, hooks.root, &location)?;
        pinned::name_commit(&mut pin, &mut source, self.place, || {
            location.is_repository().then(|| location::head(hooks.root)).flatten()
        })?;
        if location.is_repository() && location::is_dirty(hooks.root) {
            tell(format_args!(
                "note: what is not committed in {} is installed here, and nowhere else: others have the commit",
                hooks.root.display()
            ));
        }
        Ok(Some((source, pin)))
    }

    /// Writes it.
    fn put_source(&self, source: &Source, pin: &Pin, ours: &Identity) -> Result<()> {
        let former = match ours {
            Identity::Was(former, _) => Some(former.as_str()),
            _ => None,
        };
        let name = &self.place.workspace;
        self.edit_sources(|text| sources::with(text, name, source, former).map(Some))?;
        if let Some(former) = former {
            self.edit_pins(former, None)?;
        }
        self.edit_pins(name, Some(pin))
    }

    /// Writes what is installed of a source, or that it is gone.
    fn edit_pins(&self, name: &str, pin: Option<&Pin>) -> Result<()> {
        let file = pinned::file(self.place);
        write::edit(&self.run, &file, &file.path(), |before| {
            pinned::with(before, name, pin, &file)
        })
    }

    fn edit_sources(&self, mut change: impl FnMut(Option<&str>) -> Result<Option<String>>) -> Result<()> {
        let file = sources::file(self.place);
        write::edit(&self.run, &file, &file.path(), |before| {
            let text = before.map(str::from_utf8).transpose()?;
            let changed = change(text).with_context(|| format!("{file} was left untouched"))?;
            Ok(changed.map(String::into_bytes))
        })
    }

    /// Puts the binaries where the entries name them. They are noted before, so that a run that is killed leaves none that
    /// the next one does not know.
    fn put_binaries(&self, hooks: &Hooks<'_>, record: &mut Record) -> Result<()> {
        hooks.root.clone_into(&mut record.workspace);
        record.repository = record::repository(hooks.root);
        let mut built = Vec::new();
        for (hook, binary) in hooks.binaries {
            let bytes = files::built(binary)?;
            let known = record.binaries.entry(hook.clone()).or_default();
            known.insert(record::fingerprint(&bytes));
            built.push((hook, bytes));
        }
        record.write(self.place)?;
        // Until it is there the binaries would show in `git status`.
        write::own(&self.run, &self.place.gitignore(), IGNORED, 0o644)?;
        for (hook, bytes) in built {
            write::own(&self.run, &self.place.binary(hook), &bytes, 0o755)?;
        }
        if self.place.is_shared() && !startup::is_later(self.place)? {
            write::own(&self.run, &startup::file(self.place), startup::SCRIPT, 0o644)?;
        }
        Ok(())
    }

    /// Edits the settings, and notes what was done, before and after.
    fn put_entries(&self, hooks: &Hooks<'_>, known: &Known) -> Result<Record> {
        let place = self.place;
        let (mut lost, mut record) = (Vec::new(), Record::default());
        write::edit(&self.run, &place.file(), place.settings(), |before| {
            let edit = Edit::new(place, hooks, known, before)?;
            // The record before the settings, too: what it does not know of would have to be known by its command.
            edit.created.write(place)?;
            edit.record.write(place)?;
            (lost, record) = (edit.lost, edit.record);
            let is_needed = before.is_some() || !hooks.definitions.is_empty();
            Ok(is_needed.then(|| edit.settings.text().as_bytes().to_owned()))
        })?;
        installed::tell_lost(place, &lost);
        record.replaced = Inserted::default();
        record.write(place)?;
        Ok(record)
    }

    /// Removes what no entry names any more.
    fn sweep(&self, hooks: &Hooks<'_>, former: &[(Place, Record)], mut record: Record) -> Result<()> {
        for (former, record) in former {
            self.remove(former, record)?;
        }
        let before = record.binaries.clone();
        for (hook, known) in &before {
            match hooks.binaries.get(hook) {
                Some(_) if known.len() == 1 => {}
                Some(binary) => {
                    let current = record::fingerprint(&files::built(binary)?);
                    record.binaries.insert(hook.clone(), [current].into());
                }
                None => {
                    remove_binary(self.place, hook, known)?;
                    record.binaries.remove(hook);
                }
            }
        }
        if record.binaries != before {
            record.write(self.place)?;
        }
        Ok(())
    }

    /// Removes the script of a project, unless another source needs it.
    fn remove_startup(&self) -> Result<()> {
        if !self.place.is_shared() || Sources::read(self.place)?.names().next().is_some() {
            return Ok(());
        }
        let settings = self.place.claude().join("settings.json");
        match has_none_of(&settings, &[STARTUP]) && startup::is_written(self.place)? {
            true => write::remove(&startup::file(self.place)),
            false => Ok(()),
        }
    }

    /// Removes what is noted of a workspace, if it still is what was noted.
    fn remove(&self, place: &Place, record: &Record) -> Result<()> {
        for (hook, known) in &record.binaries {
            remove_binary(place, hook, known)?;
        }
        let built = startup::built(place);
        if built.stat()?.is_some_and(|stat| stat.is_file()) {
            write::remove(&built)?;
        }
        write::remove_if_empty(&place.folder().join("bin"));
        write::remove_if_empty(&place.folder());
        place.notes.remove(&place.record())
    }

    /// Takes the workspace's hooks out; false if there was nothing of them.
    fn uninstall(&self, root: &Path) -> Result<bool> {
        let place = self.place;
        let known = installed::ensure_ours(place, root)?;
        if known == Identity::New
            && place.is_shared()
            && let Some(settings) = installed::settings(place)?
        {
            installed::ensure_proven(place, root, &settings, &[])?;
        }
        let mut ours = installed::former(place, root, &known)?;
        let mut record = Record::read(place)?.unwrap_or_default();
        if let Some(main) = place.of_main().filter(|_| record.binaries.is_empty()) {
            // A session has copied them.
            record.binaries = Record::read(&main)?.unwrap_or_default().binaries;
        }
        ours.insert(0, (place.clone(), record));
        let known = Created::read(place)?;
        let mut created = known.clone();
        let is_there = |hook: &String| place.has_binary(hook);
        let mut found = ours.iter().any(|(_, record)| record.binaries.keys().any(is_there));
        let mut lost = Vec::new();
        write::edit(&self.run, &place.file(), place.settings(), |before| {
            let Some(before) = before else { return Ok(None) };
            let settings = installed::parsed(before, place)?;
            lost.clear();
            created = known.clone();
            created.settle(Some(&settings), place);
            let mut rest = settings.clone();
            let made = created.made_in(&settings, place);
            for (place, record) in &ours {
                rest = without_ours(&rest, record, made, place, &mut lost)?;
            }
            found |= rest.text() != settings.text();
            let goes = created.settings.contains(place.name()) && rest.is_bare();
            Ok((!goes).then(|| rest.text().as_bytes().to_owned()))
        })?;
        installed::tell_lost(place, &lost);
        if place.is_shared() {
            for (ours, _) in &ours {
                found |= Sources::read(place)?.has(&ours.workspace);
                self.edit_sources(|text| match text {
                    Some(text) => sources::without(text, &ours.workspace),
                    None => Ok(None),
                })?;
                self.edit_pins(&ours.workspace, None)?;
            }
        }
        self.remove_startup()?;
        for (place, record) in &ours {
            self.remove(place, record)?;
        }
        if place.file().stat()?.is_none() {
            created.settings.remove(place.name());
        }
        created.write(place)?;
        if place.folder().stat()?.is_some() {
            tell(format_args!(
                "note: {0} was not installed here by this machine, or was changed since, so it stays; to remove it: rm -r {1}",
                place.folder(),
                quoted(&place.folder().to_string())
            ));
        }
        Ok(found)
    }

    /// Removes our own folder, unless something else is in it.
    fn leave(&self) -> Result<()> {
        let place = self.place;
        let Some(created) = Created::known(place)?.filter(|_| place.notes.records().is_empty()) else {
            return Ok(());
        };
        if let Some(folder) = if_there(place.hookkit().open())? {
            let is_ours = |file: &Beneath| file.read().is_ok_and(|text| text.as_deref() == Some(IGNORED));
            if folder.names()? == [".gitignore"] && is_ours(&place.gitignore()) {
                write::remove(&place.gitignore())?;
            }
        }
        write::remove_if_empty(&place.hookkit());
        if created.folder {
            write::remove_if_empty(place.claude());
        }
        place.notes.remove(CREATED)
    }
}

/// Removes a binary that `install` wrote. Another file in its place stays.
fn remove_binary(place: &Place, hook: &str, known: &BTreeSet<String>) -> Result<()> {
    let file = place.binary(hook);
    match file.read().with_context(|| format!("reading {file}"))? {
        Some(bytes) if known.contains(&record::fingerprint(&bytes)) => write::remove(&file),
        Some(_) => {
            tell(format_args!(
                "note: {file} is not what was installed there, so it stays"
            ));
            Ok(())
        }
        None => Ok(()),
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
    settings: Document,
    record: Record,
    created: Created,
    /// What of somebody else's goes.
    lost: Vec<String>,
}

impl Edit {
    fn new(place: &Place, hooks: &Hooks<'_>, known: &Known, before: Option<&[u8]>) -> Result<Self> {
        let before = before.map(|bytes| installed::parsed(bytes, place)).transpose()?;
        if let Some(settings) = &before {
            installed::ensure_read(place, settings, hooks.is_forced)?;
        }
        let mut record = Record {
            links: hooks.links.clone(),
            ..known.record.clone()
        };
        let (mut created, mut lost) = (known.created.clone(), Vec::new());
        created.settle(before.as_ref(), place);
        let mut settings = match before {
            Some(settings) => settings,
            None => Document::parse(NEW_SETTINGS)?,
        };
        let made = created.made_in(&settings, place);
        for (former, record) in &known.former {
            settings = without_ours(&settings, record, made, former, &mut lost)?;
        }
        record.settle(&settings);
        let settings = edited(settings, hooks.definitions, &mut record, made, place, &mut lost)?;
        made.extend(record.inserted.made());
        Ok(Self {
            settings,
            record,
            created,
            lost,
        })
    }
}

/// The hooks of the workspace that are installed: they are in the record, or the settings of a clone name them.
///
/// Where the place is not locked, that is a snapshot.
pub(crate) fn hooks(place: &Place) -> Result<BTreeSet<String>> {
    let record = Record::read(place)?.unwrap_or_default();
    let mut hooks = installed::named(installed::settings(place)?.as_ref(), place);
    hooks.extend(record.links.into_keys());
    Ok(hooks)
}

/// Whether no entry can name our binaries: a glance at settings that need not be JSON.
fn is_named_nowhere(place: &Place) -> bool {
    has_none_of(&place.file(), &[&place.command_end(""), &place.startup_command()])
}

/// Returns whether a settings file has none of these texts: a glance, too.
fn has_none_of(file: &Beneath, texts: &[&str]) -> bool {
    // A slash and a quote may have a backslash before them, and what is not UTF-8 may hold anything.
    let bare = |text: &str| text.replace('\\', "");
    let has_one = |bytes: Option<Vec<u8>>| {
        let present = String::from_utf8(bytes.unwrap_or_default());
        present.map_or(true, |present| {
            texts.iter().any(|text| bare(&present).contains(&bare(text)))
        })
    };
    write::read(file).is_ok_and(|bytes| !has_one(bytes))
}

/// Takes the workspace's hooks out of a place; false if there was nothing of them.
pub(crate) fn uninstall(place: &Place, root: &Path) -> Result<bool> {
    let settings = installed::settings(place);
    if Created::known(place)?.is_none() {
        let is_named = match &settings {
            Ok(settings) => {
                let mut commands = settings.iter().flat_map(Document::commands);
                commands.any(|command| place.is_ours(command))
            }
            // Of what cannot be parsed a glance has to do: what no entry can be in need not be fixed first.
            Err(_) => !is_named_nowhere(place),
        };
        let is_source = || Ok::<_, anyhow::Error>(place.is_shared() && Sources::read(place)?.has(&place.workspace));
        if !is_named && !is_source()? {
            return Ok(false);
        }
    }
    settings?;
    Locked::new(place)?.uninstall(root)
}

fn entries(hooks: &[Definition], place: &Place) -> Vec<Entry> {
    let of_hooks = hooks.iter().flat_map(|hook| installed::entries(hook, place));
    let has_check = place.is_shared() && !hooks.is_empty();
    of_hooks.chain(has_check.then(|| startup::entry(place))).collect()
}

/// The settings with these hooks and no others of this workspace's. What goes with the old ones is added to `lost`.
fn edited(
    settings: Document,
    hooks: &[Definition],
    record: &mut Record,
    made: &Made,
    place: &Place,
    lost: &mut Vec<String>,
) -> Result<Document> {
    let entries = entries(hooks, place);
    if settings.has_only(&entries, |command| place.is_ours(command)) {
        return Ok(settings);
    }
    let base = without_ours(&settings, record, made, place, lost)?;
    let edited = edit::insert(&base, &entries).with_context(|| installed::refused(place))?;
    if record.inserted != edited.inserted {
        record.replaced = std::mem::replace(&mut record.inserted, edited.inserted);
    }
    Ok(edited.document)
}

#[cfg(test)]
mod tests;
