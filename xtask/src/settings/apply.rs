//! Changes that `install` and `uninstall` make in a settings location, in order.
//!
//! Binaries are written before settings, and removed after them. So a run that is killed at any time leaves no entry
//! with a missing binary. The next run recognizes the leftovers by their names, and repairs them.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::cargo::checkout::Checkout;
use crate::disk::beneath::{Beneath, if_there};
use crate::disk::journal::Run;
use crate::disk::write;
use crate::settings::document::Document;
use crate::settings::edit::Inserted;
use crate::settings::pinned::{self, Pin};
use crate::settings::place::Place;
use crate::settings::place::commands::{SCRIPT, STARTUP};
use crate::settings::plan::{Edit, Hooks, Plan};
use crate::settings::record::{self, CREATED, Created, Record};
use crate::settings::sources::{self, Source, Sources};
use crate::settings::state::State;
use crate::settings::{installed, pause, startup};
use crate::terminal::{inform, quoted};

/// The text that hides hookkit's own folder from git.
const IGNORED: &[u8] = b"*\n";

/// A settings location, locked against other runs.
pub(crate) struct Locked<'p> {
    place: &'p Place,
    pub(crate) run: Run<'p>,
}

impl<'p> Locked<'p> {
    /// Waits for the lock, and removes the leftovers of a killed run.
    pub(crate) fn new(place: &'p Place) -> Result<Self> {
        place.check_folders()?;
        let run = Run::begin(place.area())?;
        Ok(Self { place, run })
    }

    /// Makes `hooks` the workspace's only hooks in this location. `state` was read under the lock.
    pub(crate) fn install(&self, state: &State, checkout: &Checkout, hooks: &Hooks<'_>) -> Result<()> {
        let place = self.place;
        if place.is_shared() {
            for file in [sources::file(place), pinned::file(place), startup::file(place)] {
                write::check_file(&file, &file.path())?;
            }
        }
        // Conflicts are found before anything is written.
        let plan = Plan::new(state, checkout, hooks)?;
        let main = place.of_main().map(|main| Record::read(&main)).transpose()?.flatten();
        let named = state.hooks();
        for hook in hooks.binaries.keys() {
            let file = place.binary(hook);
            let mut records = state.record.iter().chain(&main);
            let is_known = state.sources.all.contains_key(&place.workspace)
                || named.contains(hook)
                || records.any(|record| record.names(hook));
            ensure!(
                is_known || file.stat()?.is_none(),
                "{file} is not what `install` wrote, so nothing was changed; move it elsewhere"
            );
        }
        let is_first = state.record.as_ref().is_none_or(|record| record.binaries.is_empty());
        let put = self
            .put_binaries(&plan, hooks, state.script.as_deref())
            .and_then(|()| self.put_entries(state, hooks, &plan.begun, &plan.former));
        if put.is_err() && is_first && is_named_nowhere(place) {
            // The next run removes the rest.
            let _ = self.remove(place, &plan.begun.1).and_then(|()| self.remove_startup());
        }
        let record = put?;
        if let Some((source, pin, former_name)) = &plan.shared {
            self.put_source(source, pin, former_name.as_deref())?;
        }
        self.sweep(hooks, &plan.former, record)
    }

    /// Makes `hooks` the workspace's entries in a project folder that has only settings, no other files of hookkit.
    pub(crate) fn install_entries(&self, checkout: &Checkout, hooks: &Hooks<'_>, former: Option<&str>) -> Result<()> {
        let place = self.place;
        let state = State::read(place)?;
        let begun = (state.created.clone(), hooks.noted(state.record.clone(), checkout));
        let former: Vec<(Place, Record)> = match former.map(|name| place.named_as(name)) {
            Some(former) => vec![(former.clone(), Record::read(&former)?.unwrap_or_default())],
            None => Vec::new(),
        };
        self.put_entries(&state, hooks, &begun, &former)?;
        former.iter().try_for_each(|(former, _)| former.notes.remove(&former.record()))
    }

    /// Takes over the state of a folder that was moved here.
    pub(crate) fn follow(&self, former: &Place, record: &Record) -> Result<()> {
        let place = self.place;
        if let (None, Some(created)) = (Created::noted(place)?, Created::noted(former)?) {
            created.moved_to(place).write(place)?;
        }
        record.write(place)
    }

    /// Removes the workspace's entries from a folder of the project. Returns `false` if there were none.
    fn uninstall_entries(&self) -> Result<bool> {
        let place = self.place;
        let state = State::read(place)?;
        let record = state.record.clone().unwrap_or_default();
        let is_changed = self.take_entries(&state, &[(place.clone(), record)])?;
        place.notes.remove(&place.record())?;
        Ok(is_changed)
    }

    /// Writes the workspace's entries, and returns their install record.
    fn put_entries(
        &self,
        state: &State,
        hooks: &Hooks<'_>,
        begun: &(Created, Record),
        former: &[(Place, Record)],
    ) -> Result<Record> {
        let place = self.place;
        let edit = |before: Option<&Document>| Edit::install(place, before, hooks, begun, former);
        let done = self.put_settings(state, edit, |edit| {
            // The record comes before the settings: an entry without a record could only be recognized by its command.
            edit.created.write(place)?;
            edit.record.write(place)
        });
        let (Edit { mut record, .. }, _) = done?;
        record.replaced = Inserted::default();
        record.write(place)?;
        Ok(record)
    }

    /// Removes these locations' entries from the settings. Returns `false` if there were none.
    fn take_entries(&self, state: &State, ours: &[(Place, Record)]) -> Result<bool> {
        let edit = |before: Option<&Document>| Edit::uninstall(self.place, before, &state.created, ours);
        Ok(self.put_settings(state, edit, |_| Ok(()))?.1)
    }

    /// Edits the settings. If another program has written them meanwhile, makes a new edit. `note` records an edit before
    /// it is made. Returns the edit, and whether it changed anything.
    fn put_settings(
        &self,
        state: &State,
        edit: impl Fn(Option<&Document>) -> Result<Edit>,
        note: impl Fn(&Edit) -> Result<()>,
    ) -> Result<(Edit, bool)> {
        let (place, shown) = (self.place, self.place.settings());
        let mut settings = state.settings.clone();
        for _ in 0..write::TRIES {
            let mut edit = edit(settings.as_ref())?;
            note(&edit)?;
            let [before, after] = [&settings, &edit.after].map(|settings| settings.as_ref().map(Document::text));
            let is_changed = before != after;
            if write::replace(&self.run, &place.file(), shown, before.map(str::as_bytes), after.map(str::as_bytes))? {
                installed::report_lost(place, &edit.lost);
                if edit.after.is_none() {
                    edit.created.forget(place);
                }
                edit.created.write(place)?;
                return Ok((edit, is_changed));
            }
            settings = installed::settings(place)?;
        }
        Err(write::outrun(shown))
    }

    /// Writes the workspace's entries into the project's own files.
    fn put_source(&self, source: &Source, pin: &Pin, former: Option<&str>) -> Result<()> {
        let name = &self.place.workspace;
        self.edit_sources(|text| sources::with(text, name, source, former).map(Some))?;
        if let Some(former) = former {
            self.edit_pins(former, None)?;
        }
        self.edit_pins(name, Some(pin))?;
        write::own(&self.run, &startup::built(self.place), pin.line().as_bytes(), 0o644)
    }

    /// Writes or removes the pinned hooks of a source.
    fn edit_pins(&self, name: &str, pin: Option<&Pin>) -> Result<()> {
        let file = pinned::file(self.place);
        write::edit(&self.run, &file, &file.path(), |before| pinned::with(before, name, pin, &file))
    }

    fn edit_sources(&self, mut change: impl FnMut(Option<&str>) -> Result<Option<String>>) -> Result<()> {
        let file = sources::file(self.place);
        write::edit(&self.run, &file, &file.path(), |before| {
            let text = before.map(str::from_utf8).transpose()?;
            Ok(change(text).with_context(|| format!("{file} was left untouched"))?.map(String::into_bytes))
        })
    }

    /// Writes the binaries of the entries. They are recorded first, so that the next run recognizes every binary if
    /// this one is killed.
    fn put_binaries(&self, plan: &Plan, hooks: &Hooks<'_>, script: Option<&[u8]>) -> Result<()> {
        let (created, record) = &plan.begun;
        created.write(self.place)?;
        record.write(self.place)?;
        // Otherwise `git status` would show the binaries.
        let ignored = self.place.gitignore();
        if !ignored.stat()?.is_some_and(|stat| stat.is_file()) {
            write::own(&self.run, &ignored, IGNORED, 0o644)?;
        }
        for (hook, bytes) in hooks.binaries {
            write::own(&self.run, &self.place.binary(hook), bytes, 0o755)?;
            pause::clean(self.place, hook, &record.binaries[hook])?;
        }
        if self.place.is_shared() && !startup::is_later(script) {
            write::own(&self.run, &startup::file(self.place), startup::SCRIPT, 0o644)?;
        }
        Ok(())
    }

    /// Removes binaries that no entry uses anymore.
    fn sweep(&self, hooks: &Hooks<'_>, former: &[(Place, Record)], mut record: Record) -> Result<()> {
        for (former, record) in former {
            self.remove(former, record)?;
        }
        let before = record.binaries.clone();
        for (hook, known) in &before {
            match hooks.binaries.get(hook) {
                Some(_) if known.len() == 1 => {}
                Some(binary) => {
                    record.binaries.insert(hook.clone(), [record::fingerprint(binary)].into());
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

    /// Removes a project's script, unless another source needs it.
    fn remove_startup(&self) -> Result<()> {
        if !self.place.is_shared() || !Sources::read(self.place)?.all.is_empty() {
            return Ok(());
        }
        let settings = self.place.claude.join("settings.json");
        if has_none_of(&settings, &[&format!("{STARTUP}{SCRIPT}")]) && startup::is_written(self.place)? {
            write::remove(&startup::file(self.place))
        } else {
            Ok(())
        }
    }

    /// Removes a workspace's binaries and state. A binary that is not as `install` wrote it stays.
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

    /// Removes the workspace's hooks, and returns their names. `None` if there were none.
    fn uninstall(&self, checkout: &Checkout) -> Result<Option<BTreeSet<String>>> {
        let place = self.place;
        let state = State::read(place)?;
        let identity = state.identity(checkout)?;
        state.ensure_proven(checkout, &identity, &[])?;
        let mut record = state.record.clone().unwrap_or_default();
        if let Some(main) = place.of_main().filter(|_| record.binaries.is_empty()) {
            // A session has copied them.
            record.binaries = Record::read(&main)?.unwrap_or_default().binaries;
        }
        let mut ours = vec![(place.clone(), record)];
        ours.extend(state.former(checkout, &identity));
        let is_there = |(ours, record): &(Place, Record)| {
            state.sources.all.contains_key(&ours.workspace) || record.binaries.keys().any(|hook| place.has_binary(hook))
        };
        let mut found = ours.iter().any(is_there);
        found |= self.take_entries(&state, &ours)?;
        if place.is_shared() {
            for (ours, _) in &ours {
                self.edit_sources(|text| text.map_or(Ok(None), |text| sources::without(text, &ours.workspace)))?;
                self.edit_pins(&ours.workspace, None)?;
            }
        }
        self.remove_startup()?;
        for (place, record) in &ours {
            self.remove(place, record)?;
        }
        if place.folder().stat()?.is_some() {
            inform!(
                "note: {0} was not installed here by this machine, or was changed since, so it stays; to remove it: rm -r {1}",
                place.folder(),
                quoted(place.folder())
            );
        }
        Ok(found.then(|| state.hooks()))
    }

    /// Removes hookkit's own folder if nothing else is in it.
    fn leave(&self) -> Result<()> {
        let place = self.place;
        let is_last = |created: &Created| created.texts.is_empty() && place.notes.records().is_empty();
        let Some(created) = Created::noted(place)?.filter(is_last) else {
            return Ok(());
        };
        if let Some(folder) = if_there(place.hookkit().open())? {
            let is_ours = |file: &Beneath| file.read().is_ok_and(|text| text.as_deref() == Some(IGNORED));
            if folder.names()? == [".gitignore"] && is_ours(&place.gitignore()) {
                write::remove(&place.gitignore())?;
            }
        }
        write::remove_if_empty(&place.hookkit());
        if let Some(parts) = place.folder_of_parts().filter(|_| created.parts) {
            write::remove_if_empty(&parts);
        }
        if created.folder {
            write::remove_if_empty(&place.claude);
        }
        if created.outer {
            write::remove_if_empty(&place.claude.parent());
        }
        place.notes.remove(CREATED)
    }
}

/// Removes a binary written by `install`, or the script in its place while the hook is off. Any other file stays.
fn remove_binary(place: &Place, hook: &str, known: &BTreeSet<String>) -> Result<()> {
    let file = place.binary(hook);
    let is_off = pause::of(place, hook)?.is_some();
    pause::remove(&file, |bytes| is_off || known.contains(&record::fingerprint(bytes)))?;
    pause::clean(place, hook, known)
}

impl Drop for Locked<'_> {
    /// Removes the leftovers of a run that failed, or that removed the last hooks.
    fn drop(&mut self) {
        // If it cannot be removed, it does no harm: git ignores it, and the next run reuses it.
        let _ = self.leave();
    }
}

/// Returns `true` if no entry can use hookkit's binaries. The settings are only searched, and need not be JSON.
fn is_named_nowhere(place: &Place) -> bool {
    has_none_of(&place.file(), &[&place.command_end(""), &place.startup_command()])
}

/// Returns `true` if a settings file contains none of these texts. The file is only searched, not parsed.
fn has_none_of(file: &Beneath, texts: &[&str]) -> bool {
    // Slashes and quotes may be escaped, and a non-UTF-8 file may contain anything.
    let bare = |text: &str| text.replace('\\', "");
    let has_one = |bytes: Option<Vec<u8>>| {
        let present = String::from_utf8(bytes.unwrap_or_default());
        present.map_or(true, |present| texts.iter().any(|text| bare(&present).contains(&bare(text))))
    };
    write::read(file).is_ok_and(|bytes| !has_one(bytes))
}

/// Removes the workspace's hooks from a settings location, and returns their names. `None` if there were none.
pub(crate) fn uninstall(place: &Place, root: &Path) -> Result<Option<BTreeSet<String>>> {
    if place.file().stat()?.is_some() {
        place.check_file()?;
    }
    if has_any(place)? {
        Locked::new(place)?.uninstall(&Checkout::of(root, place.sharing_project())?)
    } else {
        Ok(None)
    }
}

/// Removes the workspace's entries from a folder of the project. Returns `false` if there were none.
pub(crate) fn uninstall_entries(place: &Place) -> Result<bool> {
    if !has_any(place)? {
        return Ok(false);
    }
    if place.file().stat()?.is_some() {
        place.check_file()?;
    }
    Locked::new(place)?.uninstall_entries()
}

/// Returns `true` if a settings location may contain anything from the workspace.
fn has_any(place: &Place) -> Result<bool> {
    match State::read(place) {
        Ok(state) => {
            let is_named = state.commands().next().is_some();
            Ok(state.is_noted || is_named || state.sources.all.contains_key(&place.workspace))
        }
        // Text that cannot be parsed is only searched: if it cannot contain our entries, it need not be fixed first.
        Err(_)
            if Created::noted(place)?.is_none()
                && is_named_nowhere(place)
                && !(place.is_shared() && Sources::read(place)?.all.contains_key(&place.workspace)) =>
        {
            Ok(false)
        }
        Err(err) => Err(err),
    }
}

/// Removes the state of a folder that no longer exists.
pub(crate) fn forget(place: &Place) -> Result<()> {
    place.notes.remove(&place.record())?;
    if place.notes.records().is_empty() { place.notes.remove(CREATED) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
