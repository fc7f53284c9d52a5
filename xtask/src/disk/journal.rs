//! The journal of a run: a record of its temporary files, written before it creates them.
//!
//! After a run is killed, only the journal shows the next run which files to remove or restore. File names are not
//! enough, because a checkout can contain files with any name.

use std::cell::{Cell, RefCell};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::disk::beneath::{Beneath, if_there};
use crate::disk::lock::Lock;
use crate::disk::state::Notes;
use crate::disk::temporary;
use crate::terminal::inform;

/// The file name of the journal.
const JOURNAL: &str = "journal.json";

/// A folder with settings files, and its state.
#[derive(Clone, Copy)]
pub(crate) struct Area<'p> {
    pub(crate) claude: &'p Beneath,
    pub(crate) notes: &'p Notes,
    /// `true` if the folder is in a project. In that case, its files must not be links.
    pub(crate) is_project: bool,
}

impl Area<'_> {
    /// Returns hookkit's own folder, with the files for all workspaces and settings files.
    pub(crate) fn hookkit(&self) -> Beneath {
        self.claude.join("hookkit")
    }

    /// Returns the settings file at a recorded path, if it belongs to this folder.
    fn beneath(&self, file: &Path) -> Option<Beneath> {
        let name = file.file_name()?;
        let own = self.claude.join(name);
        match self.is_project {
            _ if own.path() == file => Some(own),
            true => None,
            false => Some(Beneath::user(file.parent()?).join(name)),
        }
    }
}

/// A run that changes files next to a settings file, under a lock.
pub(crate) struct Run<'p> {
    area: Area<'p>,
    entry: RefCell<Entry>,
    is_noted: Cell<bool>,
    _lock: Lock,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// The name of the run's temporary files, or the end of it.
    run: String,
    edit: Option<Edit>,
}

#[derive(Serialize, Deserialize)]
struct Edit {
    file: PathBuf,
    /// The inode of the temporary file after its creation; 0 if there is none. A file with the same name and a
    /// different inode belongs to the user.
    inode: Option<u64>,
}

impl<'p> Run<'p> {
    /// Returns hookkit's own folder.
    pub(crate) fn hookkit(&self) -> Beneath {
        self.area.hookkit()
    }

    /// Waits for other runs. Completes or undoes the work of a killed run.
    pub(crate) fn begin(area: Area<'p>) -> Result<Self> {
        let lock = Lock::take(area.notes.create()?, Lock::LIMIT)?;
        area.notes.clean()?;
        recover(&area)?;
        let entry = RefCell::new(Entry { run: temporary::unique(), edit: None });
        Ok(Self { area, entry, is_noted: Cell::new(false), _lock: lock })
    }

    /// Returns the name for a temporary file in hookkit's own folder.
    pub(crate) fn temporary(&self) -> Result<String> {
        if !self.is_noted.get() {
            self.note()?;
        }
        Ok(self.entry.borrow().run.clone())
    }

    /// Returns the name for the temporary file next to a settings file.
    pub(crate) fn temporary_name(&self, file: &Beneath, inode: Option<u64>) -> Result<String> {
        let name = temporary_name_of(file, &self.entry.borrow().run)?;
        self.entry.borrow_mut().edit = Some(Edit { file: file.path(), inode });
        self.note()?;
        Ok(name)
    }

    fn note(&self) -> Result<()> {
        self.area.notes.write(JOURNAL, &*self.entry.borrow())?;
        self.is_noted.set(true);
        Ok(())
    }
}

impl Drop for Run<'_> {
    /// Keeps the journal for the next run if this run has left a file.
    fn drop(&mut self) {
        if self.is_noted.get() && self.entry.borrow().has_left(&self.area).is_ok_and(|has_left| !has_left) {
            let _ = self.area.notes.remove(JOURNAL);
        }
        self.area.notes.leave();
    }
}

impl Entry {
    /// Returns the edited settings file, if it belongs to the area.
    fn edited(&self, area: &Area<'_>) -> Option<(Beneath, &Edit)> {
        let edit = self.edit.as_ref()?;
        Some((area.beneath(&edit.file)?, edit))
    }

    fn has_left(&self, area: &Area<'_>) -> Result<bool> {
        let own = area.hookkit().join(&self.run).stat()?;
        let edited = match self.edited(area) {
            Some((file, _)) => file.parent().join(temporary_name_of(&file, &self.run)?).stat()?,
            None => None,
        };
        Ok(own.is_some() || edited.is_some())
    }
}

/// Returns the name for the temporary file next to a user's file.
fn temporary_name_of(file: &Beneath, run: &str) -> Result<String> {
    Ok(format!(".{}{run}", file.name()?.to_string_lossy()))
}

/// Removes the files of a killed run, and restores a user's file that it moved away.
///
/// A killed run did not complete the edit, so the result is the state before the edit. Files written since are not
/// replaced.
fn recover(area: &Area<'_>) -> Result<()> {
    let Some(journal) = area.notes.read(JOURNAL)? else {
        return Ok(());
    };
    let is_ours = |name: &str| name.starts_with(temporary::OURS) && !name.contains('/');
    let entry = serde_json::from_slice::<Entry>(&journal).ok();
    let Some(entry) = entry.filter(|entry| is_ours(&entry.run)) else {
        // The journal is written atomically, so another program has changed it.
        return area.notes.remove(JOURNAL);
    };
    if let Some(folder) = if_there(area.hookkit().open())? {
        let left = &entry.run;
        match folder.stat(left.as_ref())? {
            Some(stat) if stat.is_file() => folder.remove(left.as_ref())?,
            Some(_) => tell_strange(&area.hookkit().join(left)),
            None => {}
        }
    }
    if let Some((file, edit)) = entry.edited(area) {
        undo(&file, temporary_name_of(&file, &entry.run)?.as_ref(), edit.inode)?;
    }
    area.notes.remove(JOURNAL)
}

/// Reports a path that is not a file, so no run has created it.
fn tell_strange(path: &Beneath) {
    inform!("note: {path} is not a file, so no killed run left it there; it is kept");
}

/// Removes the temporary file of an edit. If the user's own file has this name, restores it.
fn undo(file: &Beneath, left: &OsStr, inode: Option<u64>) -> Result<()> {
    let Some(folder) = if_there(file.parent().open())? else {
        return Ok(());
    };
    let Some(stat) = folder.stat(left)? else { return Ok(()) };
    if !stat.is_file() {
        tell_strange(&file.parent().join(left));
        return Ok(());
    }
    if inode.is_none_or(|inode| inode == stat.inode) {
        return Ok(folder.remove(left)?);
    }
    let Some(present) = folder.stat(file.name()?)? else {
        return temporary::put_back(&folder, left, file.name()?);
    };
    if !present.is_file() {
        let left_file = file.parent().join(left);
        inform!("note: {file} is not a regular file; its former content is in {left_file}");
        return Ok(());
    }
    let written_since = present.written > stat.changed;
    if inode == Some(present.inode) && !written_since {
        folder.rename(left, &folder, file.name()?)?;
    } else {
        folder.remove(left)?;
    }
    Ok(())
}
