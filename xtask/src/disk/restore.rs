//! Files of a snapshot, written into a project.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result};
use hookkit_snapshot::Content;

use crate::disk::beneath::Beneath;
use crate::disk::temporary::{OURS, prepared};

/// Writes files into a folder. Nothing in it is lost: a file that `is_kept` is replaced, and all else that is in the way gets
/// another name.
pub(crate) struct Restore<'r> {
    pub(crate) root: Beneath,
    pub(crate) is_kept: &'r dyn Fn(&Path) -> bool,
    /// Ending of the names of what is in the way.
    pub(crate) aside: String,
}

impl Restore<'_> {
    /// Writes a file or a link as it was.
    ///
    /// # Errors
    ///
    /// Fails with its path if it cannot be written.
    pub(crate) fn write(&self, path: &Path, content: &Content, bytes: &[u8]) -> Result<()> {
        let target = self.root.join(path);
        let written = || -> Result<()> {
            let mut folders: Vec<&Path> = path.ancestors().skip(1).collect();
            folders.reverse();
            for folder in folders {
                let folder = self.root.join(folder);
                if folder.stat()?.is_some_and(|stat| !stat.is_folder()) {
                    self.set_aside(&folder)?;
                }
            }
            let folder = target.parent().create()?;
            if target
                .stat()?
                .is_some_and(|stat| stat.is_folder() || !(self.is_kept)(path))
            {
                self.set_aside(&target)?;
            }
            let temporary = format!("{OURS}{:016x}", fastrand::u64(..));
            match content.mode {
                None => {
                    folder.symlink(OsStr::from_bytes(bytes), temporary.as_ref())?;
                    folder.rename(temporary.as_ref(), &folder, target.name()?)?;
                }
                Some(mode) => prepared(&folder, temporary.into(), bytes, 0o600, |file| {
                    Ok(file.set_permissions(Permissions::from_mode(mode))?)
                })?
                .rename(&folder, target.name()?)?,
            }
            Ok(())
        };
        written().with_context(|| format!("restoring {target}"))
    }

    fn set_aside(&self, name: &Beneath) -> Result<()> {
        let mut aside = name.name()?.to_owned();
        aside.push(&self.aside);
        Ok(name.parent().open()?.rename_within(name.name()?, &aside)?)
    }
}
