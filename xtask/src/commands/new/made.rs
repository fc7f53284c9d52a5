//! Files that `new` has made or changed, which are undone where it fails.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::program::installed;
use crate::terminal::rows::changed_file;

/// Files that were made and changed, restored when it is dropped, unless it is [kept](Self::keep).
#[derive(Default)]
pub(crate) struct Made {
    /// Files and folders that were not there before, the outermost first.
    new: Vec<PathBuf>,
    changed: Vec<(PathBuf, Vec<u8>)>,
}

impl Made {
    /// Writes a file that is not there, with the folders that it needs.
    pub(crate) fn file(&mut self, path: &Path, text: &str) -> Result<()> {
        self.folder(path.parent().unwrap_or(path))?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .with_context(|| format!("making {}", path.display()))?;
        self.new.push(path.to_owned());
        file.write_all(text.as_bytes())
            .with_context(|| format!("writing {}", path.display()))
    }

    fn folder(&mut self, path: &Path) -> Result<()> {
        let missing: Vec<&Path> = path.ancestors().take_while(|path| !path.exists()).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).with_context(|| format!("making {}", folder.display()))?;
            self.new.push(folder.to_owned());
        }
        Ok(())
    }

    /// Records the content of a file that is about to be changed.
    pub(crate) fn changes(&mut self, path: &Path) -> Result<()> {
        let is_known =
            self.new.iter().any(|new| new == path) || self.changed.iter().any(|(changed, _)| changed == path);
        if is_known {
            return Ok(());
        }
        let before = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        self.changed.push((path.to_owned(), before));
        Ok(())
    }

    /// Has rustfmt write the new files as their neighbours are written; without it they stay as they are.
    ///
    /// Names make some lines longer than the author's rustfmt.toml wants them, or shorter.
    pub(crate) fn format(&self) {
        let is_rust = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        for path in self.new.iter().filter(is_rust) {
            let mut rustfmt = installed("rustfmt", path);
            rustfmt
                .args(["--quiet", "--edition", "2024"])
                .args(std::path::absolute(path));
            // The folder here could name another toolchain.
            rustfmt.current_dir("/");
            // The modules that a lib.rs names are among the new files themselves.
            let _ = rustfmt.stderr(std::process::Stdio::null()).status();
        }
    }

    /// Returns the rows of the files that are new or have changed.
    pub(crate) fn rows(&self) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for path in self.new.iter().filter(|path| !path.is_dir()) {
            rows.extend(changed_file(path, None, Some(&[])));
        }
        for (path, before) in &self.changed {
            let after = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
            rows.extend(changed_file(path, Some(before), Some(&after)));
        }
        Ok(rows)
    }

    pub(crate) fn keep(mut self) {
        self.new.clear();
        self.changed.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let taken_back = self.new.iter().rev().map(|path| match path.is_dir() {
            true => (path, fs::remove_dir(path)),
            false => (path, fs::remove_file(path)),
        });
        let put_back = self
            .changed
            .iter()
            .map(|(path, before)| (path, fs::write(path, before)));
        for (path, undone) in taken_back.chain(put_back) {
            if let Err(err) = undone {
                crate::terminal::inform(format_args!("warning: {} could not be put back: {err}", path.display()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_stay_is_taken_back() -> Result<()> {
        let folder = test_support::folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "old")?;
        let mut made = Made::default();
        made.changes(&path("old"))?;
        fs::write(path("old"), "new")?;
        made.file(&path("a/b/c"), "c")?;
        assert!(made.file(&path("a/b/c"), "d").is_err(), "nothing is overwritten");
        assert_eq!(fs::read_to_string(path("a/b/c"))?, "c");
        drop(made);
        assert_eq!(fs::read_to_string(path("old"))?, "old");
        assert!(!path("a").exists());
        Ok(())
    }
}
