//! Files that `new` has made or changed, which are undone where it fails.

#![expect(clippy::disallowed_methods, reason = "the files are those of a workspace that is built")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::program::installed;
use crate::disk::files;
use crate::terminal::rows::changed_file;
use crate::terminal::{Text, inform};

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
        let making = |path: &Path| format!("making {}", path.display());
        let mut missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        while let Some(folder) = missing.pop() {
            fs::create_dir(folder).with_context(|| making(folder))?;
            self.new.push(folder.to_owned());
        }
        File::create_new(path).with_context(|| making(path))?;
        self.new.push(path.to_owned());
        files::write(path, text)
    }

    /// Records the content of a file that is about to be changed.
    pub(crate) fn changes(&mut self, path: &Path) -> Result<()> {
        let mut known = self.changed.iter().map(|(changed, _)| changed).chain(&self.new);
        if !known.any(|known| known == path) {
            self.changed.push((path.to_owned(), files::bytes(path)?));
        }
        Ok(())
    }

    /// Formats the new files with rustfmt; without it they stay as they are.
    ///
    /// The names make some lines too long or too short for the author's rustfmt.toml.
    fn format(&self) {
        let is_rust = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        for path in self.new.iter().filter(is_rust) {
            let mut rustfmt = installed("rustfmt", path);
            rustfmt.args(["--quiet", "--edition", "2024"]).args(std::path::absolute(path));
            // The folder here could name another toolchain.
            rustfmt.current_dir("/");
            // The modules that a lib.rs names are among the new files themselves.
            let _ = rustfmt.stderr(std::process::Stdio::null()).status();
        }
    }

    /// Formats the new files, and keeps all. Returns the rows of the new and changed files.
    pub(crate) fn keep(mut self) -> Result<Vec<Value>> {
        self.format();
        let new = self.new.iter().filter(|path| !path.is_dir());
        let mut rows: Vec<Value> = new.filter_map(|path| changed_file(path, None, Some(&[]))).collect();
        for (path, before) in &self.changed {
            rows.extend(changed_file(path, Some(before), Some(&files::bytes(path)?)));
        }
        self.new.clear();
        self.changed.clear();
        Ok(rows)
    }
}

/// Describes files, each by its path in a workspace.
pub(crate) fn described<'f>(text: &mut Text, root: &Path, files: impl IntoIterator<Item = (&'f PathBuf, String)>) {
    for (path, what) in files {
        let path = path.strip_prefix(root).unwrap_or(path).display();
        text.plain("  ").path(path).plain(format_args!("\n      {what}\n"));
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let taken_back = self
            .new
            .iter()
            .rev()
            .map(|path| if path.is_dir() { (path, fs::remove_dir(path)) } else { (path, fs::remove_file(path)) });
        let put_back = self.changed.iter().map(|(path, before)| (path, fs::write(path, before)));
        for (path, undone) in taken_back.chain(put_back) {
            if let Err(err) = undone {
                inform(format_args!("warning: {} could not be put back: {err}", path.display()));
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
