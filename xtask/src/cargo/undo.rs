//! Restores files of the author's workspace if a command fails.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built")]

use std::fs::{self, File};
use std::path::{Path, PathBuf, absolute};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::metadata::Metadata;
use crate::cargo::program::installed;
use crate::disk::files;
use crate::terminal::inform;
use crate::terminal::rows::changed_file;

/// The bytes of a file; `None` if it does not exist.
type Bytes = Option<Vec<u8>>;

/// Files and their original content, which is restored on drop unless they are [kept](Self::keep).
#[derive(Default)]
pub(crate) struct Undo {
    files: Vec<(PathBuf, Bytes)>,
    /// Folders that did not exist before, the outermost first.
    folders: Vec<PathBuf>,
}

impl Undo {
    /// Reads all manifests of a workspace, and its Cargo.lock.
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let mut undo = Self::default();
        undo.note(&root.join("Cargo.toml"))?;
        undo.note(&root.join("Cargo.lock"))?;
        metadata.packages.iter().try_for_each(|package| undo.note(&package.manifest_path))?;
        Ok(undo)
    }

    /// Records the content of a file that will be changed.
    pub(crate) fn note(&mut self, path: &Path) -> Result<()> {
        if self.files.iter().all(|(known, _)| known != path) {
            self.files.push((path.to_owned(), files::read(path)?));
        }
        Ok(())
    }

    /// Creates a new file and its missing folders.
    pub(crate) fn create(&mut self, path: &Path, text: &str) -> Result<()> {
        let making = |path: &Path| format!("making {}", path.display());
        let mut missing: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| !folder.exists()).collect();
        while let Some(folder) = missing.pop() {
            fs::create_dir(folder).with_context(|| making(folder))?;
            self.folders.push(folder.to_owned());
        }
        self.note(path)?;
        File::create_new(path).with_context(|| making(path))?;
        files::write(path, text)
    }

    /// Restores the files and returns their changes.
    pub(crate) fn undone(self) -> Result<Change> {
        let mut changed = Vec::new();
        for (path, before) in &self.files {
            let after = files::read(path)?;
            if after != *before {
                changed.push((path.clone(), before.clone(), after));
            }
        }
        changed.sort();
        Ok(Change(changed))
    }

    /// Formats the new files with rustfmt; without it they stay as they are.
    ///
    /// The names can make lines too long or too short for the author's rustfmt.toml.
    fn format(&self) {
        let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
        for (path, _) in self.files.iter().filter(|(path, before)| before.is_none() && is_rust(path)) {
            let mut rustfmt = installed("rustfmt", path);
            rustfmt.args(["--quiet", "--edition", "2024"]).args(absolute(path));
            // The current folder could select another toolchain.
            rustfmt.current_dir("/");
            // The modules of a new lib.rs are among the new files.
            let _ = rustfmt.stderr(Stdio::null()).status();
        }
    }

    /// Formats the new files and keeps all of them. Returns the rows of the new files, then the rows of the changed
    /// files.
    pub(crate) fn keep(mut self) -> Result<Vec<Value>> {
        self.format();
        self.files.sort_by_key(|(_, before)| before.is_some());
        let mut rows = Vec::new();
        for (path, before) in &self.files {
            rows.extend(changed_file(path, before.as_deref(), files::read(path)?.as_deref()));
        }
        self.files.clear();
        self.folders.clear();
        Ok(rows)
    }
}

/// A change to the author's files: each file with its bytes before and after.
pub(crate) struct Change(Vec<(PathBuf, Bytes, Bytes)>);

impl Change {
    /// Makes the change and returns the rows of the files.
    ///
    /// # Errors
    ///
    /// Fails if a file was edited meanwhile or cannot be written. In that case, no file is changed.
    pub(crate) fn make(self) -> Result<Vec<Value>> {
        for (path, before, _) in &self.0 {
            ensure!(
                files::read(path)? == *before,
                "{} was edited meanwhile, so nothing was changed; run the command again",
                path.display()
            );
        }
        let mut undo = Undo::default();
        for (path, _, after) in self.0 {
            undo.note(&path)?;
            files::write(&path, after.unwrap_or_default())?;
        }
        undo.keep()
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        let files = self.files.iter().map(|(path, bytes)| match bytes {
            Some(bytes) if files::read(path).is_ok_and(|present| present.as_ref() == Some(bytes)) => (path, Ok(())),
            Some(bytes) => (path, fs::write(path, bytes)),
            None => (path, fs::remove_file(path).or(Ok(()))),
        });
        let folders = self.folders.iter().rev().map(|folder| (folder, fs::remove_dir(folder)));
        for (path, undone) in files.chain(folders) {
            if let Err(err) = undone {
                inform!("warning: {} could not be put back: {err}", path.display());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MANIFEST: &str = "[workspace]\nmembers = [\"xtask\"]\n";

    #[test]
    fn what_leads_nowhere_is_undone() -> Result<()> {
        let folder = test_support::folder();
        let path = |file: &str| folder.path().join(file);
        fs::write(path("Cargo.toml"), MANIFEST)?;
        fs::create_dir(path("xtask"))?;
        fs::write(path("xtask/Cargo.toml"), "[package]\n")?;
        let metadata: Metadata = serde_json::from_value(json!({
            "packages": [{
                "name": "xtask",
                "manifest_path": path("xtask/Cargo.toml"),
                "targets": [],
                "dependencies": [],
            }],
            "workspace_root": folder.path(),
            "target_directory": path("target"),
        }))?;
        let change = || -> Result<()> {
            fs::write(path("Cargo.toml"), "changed")?;
            fs::write(path("Cargo.lock"), "new")?;
            Ok(fs::remove_file(path("xtask/Cargo.toml"))?)
        };

        let undo = Undo::of(&metadata)?;
        let modified = fs::metadata(path("Cargo.toml"))?.modified()?;
        drop(undo);
        assert_eq!(fs::metadata(path("Cargo.toml"))?.modified()?, modified, "not touched");

        let undo = Undo::of(&metadata)?;
        change()?;
        drop(undo);
        assert_eq!(fs::read_to_string(path("Cargo.toml"))?, MANIFEST);
        assert_eq!(fs::read_to_string(path("xtask/Cargo.toml"))?, "[package]\n");
        assert!(!path("Cargo.lock").exists());

        let made = || -> Result<Change> {
            let undo = Undo::of(&metadata)?;
            fs::write(path("Cargo.toml"), "changed")?;
            fs::write(path("Cargo.lock"), "new")?;
            undo.undone()
        };
        let read = || ["Cargo.toml", "Cargo.lock"].map(|file| fs::read_to_string(path(file)).unwrap_or_default());
        let change = made()?;
        assert_eq!(read(), [MANIFEST, ""]);
        assert_eq!(change.make()?.len(), 2);
        assert_eq!(read(), ["changed", "new"]);

        fs::write(path("Cargo.toml"), MANIFEST)?;
        fs::remove_file(path("Cargo.lock"))?;
        let change = made()?;
        fs::write(path("Cargo.toml"), "edited meanwhile")?;
        let refused = change.make().expect_err("it would be lost").to_string();
        assert!(refused.contains("was edited meanwhile"), "{refused}");
        assert_eq!(read(), ["edited meanwhile", ""]);
        Ok(())
    }

    #[test]
    fn what_does_not_stay_is_taken_back() -> Result<()> {
        let folder = test_support::folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "old")?;
        let mut undo = Undo::default();
        undo.note(&path("old"))?;
        fs::write(path("old"), "new")?;
        undo.create(&path("a/b/c"), "c")?;
        assert!(undo.create(&path("a/b/c"), "d").is_err(), "nothing is overwritten");
        assert_eq!(fs::read_to_string(path("a/b/c"))?, "c");
        drop(undo);
        assert_eq!(fs::read_to_string(path("old"))?, "old");
        assert!(!path("a").exists());
        Ok(())
    }
}
