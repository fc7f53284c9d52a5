//! Temporary files, which get their final names when they are complete.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::disk::beneath::{Beneath, Folder, is_unsupported, to_disk};
use crate::disk::step::step;

/// Prefix of hookkit's temporary file names, in hookkit's folders.
pub(crate) const OURS: &str = ".hookkit-";

/// Returns a new name for a temporary file.
pub(crate) fn unique() -> String {
    format!("{OURS}{:016x}", fastrand::u64(..))
}

/// Writes a value as JSON into a file that only its user may read, unless it is already there.
pub(crate) fn note(file: &Beneath, value: &impl Serialize) -> Result<()> {
    let written = || -> Result<()> {
        let bytes = serde_json::to_vec_pretty(value)?;
        if file.read()?.is_some_and(|present| present == bytes) {
            return Ok(());
        }
        let folder = file.parent().open()?;
        let name = format!("{OURS}{}", file.name()?.to_string_lossy());
        prepared(&folder, name.into(), &bytes, 0o600, |_| Ok(()))?.rename(&folder, file.name()?)?;
        step!("a note");
        Ok(folder.sync()?)
    };
    written().with_context(|| format!("writing {file}"))
}

/// Restores a file that was moved away, unless there is a newer one.
///
/// On a file system without hard links and without a rename that fails for existing files, a newer file can be replaced
/// if it is written at exactly this moment.
pub(crate) fn put_back(folder: &Folder, taken: &OsStr, target: &OsStr) -> Result<()> {
    let put = match folder.rename_within(taken, target) {
        Err(err) if is_unsupported(&err) => folder.link(taken, target).and_then(|()| folder.remove(taken)),
        renamed => renamed,
    };
    match put {
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => folder.remove(taken)?,
        Err(_) if folder.stat(target)?.is_none() => folder.rename(taken, folder, target)?,
        put => put?,
    }
    Ok(())
}

/// A file with a temporary name, which is removed unless it gets its final name.
pub(crate) struct Temporary<'f> {
    folder: &'f Folder,
    pub(crate) name: OsString,
    pub(crate) file: File,
    is_kept: bool,
}

impl Temporary<'_> {
    pub(crate) fn rename(mut self, into: &Folder, name: &OsStr) -> io::Result<()> {
        self.folder.rename(&self.name, into, name)?;
        self.is_kept = true;
        Ok(())
    }

    pub(crate) fn rename_within(mut self, name: &OsStr) -> io::Result<()> {
        match self.folder.rename_within(&self.name, name) {
            // The temporary name is removed when this is dropped.
            Err(err) if is_unsupported(&err) => self.folder.link(&self.name, name),
            renamed => {
                self.is_kept = renamed.is_ok();
                renamed
            }
        }
    }

    pub(crate) fn kept(mut self) -> OsString {
        self.is_kept = true;
        self.name.clone()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // If this fails, the next run removes it.
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Writes a file with these bytes and syncs it to disk. It gets its final name later.
pub(crate) fn prepared<'f>(
    folder: &'f Folder,
    name: OsString,
    bytes: &[u8],
    mode: u32,
    set_mode: impl FnOnce(&File) -> Result<()>,
) -> Result<Temporary<'f>> {
    let file = folder.create_new(&name, mode)?;
    let mut temporary = Temporary { folder, name, file, is_kept: false };
    step!("a temporary file");
    let (first, second) = bytes.split_at(bytes.len() / 2);
    temporary.file.write_all(first)?;
    step!("half of it");
    temporary.file.write_all(second)?;
    set_mode(&temporary.file)?;
    to_disk(&temporary.file)?;
    step!("all of it");
    Ok(temporary)
}
