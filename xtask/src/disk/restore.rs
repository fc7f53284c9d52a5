//! Restores files from a snapshot in a project.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use hookkit_snapshot::Content;

use crate::disk::beneath::Beneath;
use crate::disk::temporary::{prepared, unique};

/// A restore into a folder that loses nothing. A file is replaced if it `is_kept` and has not changed after `since`.
/// Anything else in the way is renamed.
pub(crate) struct Restore<'r> {
    pub(crate) root: Beneath,
    pub(crate) is_kept: &'r dyn Fn(&Path) -> bool,
    /// Time after which a changed file counts as not kept, since 1970.
    pub(crate) since: Duration,
    /// Suffix for renamed files that are in the way.
    pub(crate) aside: String,
}

impl Restore<'_> {
    /// Restores a file or a link.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written. The error contains its path.
    pub(crate) fn write(&self, path: &Path, content: &Content, bytes: &[u8]) -> Result<()> {
        let target = self.root.join(path);
        let written = || -> Result<()> {
            for folder in Vec::from_iter(path.ancestors().skip(1)).into_iter().rev() {
                let folder = self.root.join(folder);
                if folder.stat()?.is_some_and(|stat| !stat.is_folder()) {
                    self.set_aside(&folder)?;
                }
            }
            let folder = target.parent().create()?;
            let seconds = i64::try_from(self.since.as_secs()).unwrap_or(i64::MAX);
            let since = (seconds, self.since.subsec_nanos().into());
            if target.stat()?.is_some_and(|stat| stat.is_folder() || stat.changed > since || !(self.is_kept)(path)) {
                self.set_aside(&target)?;
            }
            let temporary = unique();
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
        let (folder, mut aside) = (name.parent().open()?, name.name()?.to_owned());
        aside.push(&self.aside);
        // An earlier restore may have used the name.
        while folder.stat(&aside)?.is_some() {
            aside.push("~");
        }
        Ok(folder.rename_within(name.name()?, &aside)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_has_changed_since_it_was_kept_gets_another_name() -> Result<()> {
        let folder = test_support::folder();
        let file = folder.path().canonicalize()?.join("file");
        let content = Content { mode: Some(0o644), id: String::new(), size: 3 };
        for (since, left) in [(Duration::MAX, None), (Duration::from_secs(1), Some("now"))] {
            fs::write(&file, "now")?;
            let restore = Restore {
                root: Beneath::project(&folder.path().canonicalize()?),
                is_kept: &|_: &Path| true,
                since,
                aside: ".aside".to_owned(),
            };
            restore.write(Path::new("file"), &content, b"old")?;
            assert_eq!(fs::read_to_string(&file)?, "old");
            assert_eq!(fs::read_to_string(file.with_extension("aside")).ok().as_deref(), left);
        }
        Ok(())
    }
}
