//! Pages that hookkit writes to a path chosen by the user.

use std::io::Read;
use std::path::{Path, absolute};

use anyhow::{Context, Result, ensure};

use crate::disk::beneath::Beneath;
use crate::disk::temporary::{prepared, unique};

/// The first line of each page. A file that starts with it may be overwritten.
pub(crate) const MARKER: &str = "<!doctype html><!-- written by cargo xtask -->\n";

/// A file for a page.
pub(crate) struct PageFile(Beneath);

impl PageFile {
    /// Returns the file at a path, after checking that it may be written.
    ///
    /// # Errors
    ///
    /// Fails if the path is a link, a folder, or a file that does not start with a page's marker, or if its parent
    /// folder does not exist.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        let shown = path.display();
        let path = absolute(path).with_context(|| format!("{shown} is not the path of a file"))?;
        let (folder, name) = (path.parent(), path.file_name());
        let (folder, name) = folder.zip(name).with_context(|| format!("{shown} is not the path of a file"))?;
        ensure!(folder.is_dir(), "there is no folder {}", folder.display());
        let page = Self(Beneath::user(folder).join(name));
        page.is_ours().with_context(|| format!("{shown} cannot be written"))?;
        Ok(page)
    }

    /// Returns `false` if there is no file. Fails if the file is not one of hookkit's pages.
    fn is_ours(&self) -> Result<bool> {
        let (folder, name) = (self.0.parent().open()?, self.0.name()?);
        if folder.stat(name)?.is_none() {
            return Ok(false);
        }
        let mut begin = Vec::new();
        folder.open(name)?.take(MARKER.len() as u64).read_to_end(&mut begin)?;
        ensure!(
            begin == MARKER.as_bytes(),
            "it is not a page of hookkit, so it was not changed; choose another file, or remove it first"
        );
        Ok(true)
    }

    /// Returns a note about the page's content, to be printed before the page is written.
    pub(crate) fn note(&self, what: &str) -> String {
        format!("note: {} will contain {what}; it stays on this machine, and only you may read it", self.0)
    }

    /// Writes the page so that only the user can read it. If the write is interrupted, the file is either the old one
    /// or the new one.
    ///
    /// # Errors
    ///
    /// Fails if the page cannot be written, or if another program has created the file since [`new`](Self::new).
    pub(crate) fn write(&self, page: &[u8]) -> Result<()> {
        let written = || -> Result<()> {
            let is_present = self.is_ours()?;
            let (folder, name) = (self.0.parent().open()?, self.0.name()?);
            let temporary = prepared(&folder, unique().into(), page, 0o600, |_| Ok(()))?;
            if is_present {
                temporary.rename(&folder, name)?;
            } else {
                temporary.rename_within(name)?;
            }
            Ok(folder.sync()?)
        };
        written().with_context(|| format!("writing {}", self.0))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, read_to_string};
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    #[test]
    fn a_page_is_for_its_user_only_and_replaces_nothing_but_a_page() -> Result<()> {
        let folder = test_support::folder();
        let path = folder.path().join("page.html");
        for text in ["first", "second"] {
            PageFile::new(&path)?.write(format!("{MARKER}{text}").as_bytes())?;
            assert_eq!(read_to_string(&path)?, format!("{MARKER}{text}"));
            assert_eq!(fs::metadata(&path)?.mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);

        let other = folder.path().join("other.html");
        for text in ["", "<!doctype html><!-- written", "<!doctype html>\n<p>mine"] {
            fs::write(&other, text)?;
            let refused = PageFile::new(&other).err().map(|err| format!("{err:#}"));
            assert!(refused.is_some_and(|why| why.contains("it is not a page of hookkit")));
            assert_eq!(read_to_string(&other)?, text);
        }
        let link = folder.path().join("link.html");
        symlink(&path, &link)?;
        for refused in [&link, folder.path(), &folder.path().join("missing/page.html")] {
            assert!(PageFile::new(refused).is_err(), "{}", refused.display());
        }
        // A file that another program creates after the check.
        let late = folder.path().join("late.html");
        let page = PageFile::new(&late)?;
        fs::write(&late, "theirs")?;
        assert!(page.write(MARKER.as_bytes()).is_err());
        assert_eq!(read_to_string(&late)?, "theirs");
        assert_eq!(fs::read_dir(folder.path())?.count(), 4);
        Ok(())
    }
}
