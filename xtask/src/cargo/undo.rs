//! The author's Cargo.toml files and Cargo.lock as they were before a command that may fail.

#![expect(clippy::disallowed_methods, reason = "the files are those of a workspace that is built")]

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::cargo::metadata::Metadata;
use crate::disk::files;
use crate::terminal::rows::changed_file;

/// The bytes of a file; `None` if it does not exist.
type Bytes = Option<Vec<u8>>;

/// The author's files as they were, put back when it is dropped.
pub(crate) struct Undo {
    files: Vec<(PathBuf, Bytes)>,
}

impl Undo {
    /// Looks at all manifests of a workspace, and at its Cargo.lock.
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let mut paths = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
        paths.extend(metadata.packages.iter().map(|package| package.manifest_path.clone()));
        let files = paths.into_iter().map(|path| {
            let bytes = files::read(&path)?;
            Ok((path, bytes))
        });
        Ok(Self { files: files.collect::<Result<_>>()? })
    }

    /// Restores the files, and returns their changes.
    pub(crate) fn undone(self) -> Result<Change> {
        let changed = self.files.iter().map(|(path, before)| {
            let after = files::read(path)?;
            Ok((path.clone(), before.clone(), after))
        });
        let mut changed: Vec<(PathBuf, Bytes, Bytes)> = changed.collect::<Result<_>>()?;
        changed.retain(|(_, before, after)| before != after);
        // The manifest of a package at the root is also the workspace's.
        changed.sort();
        changed.dedup();
        Ok(Change(changed))
    }
}

/// A change of the author's files: each with its bytes before and after.
pub(crate) struct Change(Vec<(PathBuf, Bytes, Bytes)>);

impl Change {
    /// Makes the change, and returns the rows of the files.
    ///
    /// # Errors
    ///
    /// Fails, with all files as they were, if one was edited meanwhile or cannot be written.
    pub(crate) fn make(self) -> Result<Vec<serde_json::Value>> {
        for (path, before, _) in &self.0 {
            ensure!(
                files::read(path)? == *before,
                "{} was edited meanwhile, so nothing was changed; run the command again",
                path.display()
            );
        }
        let files = self.0.iter().map(|(path, before, _)| (path.clone(), before.clone()));
        let mut undo = Undo { files: files.collect() };
        let mut rows = Vec::new();
        for (path, before, after) in &self.0 {
            files::write(path, after.as_deref().unwrap_or_default())?;
            rows.extend(changed_file(path, before.as_deref(), after.as_deref()));
        }
        undo.files.clear();
        Ok(rows)
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        for (path, bytes) in &self.files {
            let undone = match bytes {
                Some(bytes) if files::read(path).is_ok_and(|present| present.as_ref() == Some(bytes)) => Ok(()),
                Some(bytes) => fs::write(path, bytes),
                None => fs::remove_file(path).or(Ok(())),
            };
            if let Err(err) = undone {
                crate::terminal::inform(format_args!("warning: {} could not be put back: {err}", path.display()));
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
}
