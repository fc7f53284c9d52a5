//! The author's Cargo.toml files and Cargo.lock as they were before a command that may fail.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built"
)]

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::cargo::metadata::Metadata;
use crate::terminal::rows::changed_file;

/// The author's files as they were, put back when it is dropped, unless what was made of them shall [stay](Self::keep).
pub(crate) struct Undo {
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Undo {
    /// Looks at all manifests of a workspace, and at its Cargo.lock.
    pub(crate) fn of(metadata: &Metadata) -> Result<Self> {
        let root = &metadata.workspace_root;
        let mut paths = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
        paths.extend(metadata.packages.iter().map(|package| package.manifest_path.clone()));
        let files = paths.into_iter().map(|path| {
            let bytes = crate::disk::files::read(&path)?;
            Ok((path, bytes))
        });
        Ok(Self {
            files: files.collect::<Result<_>>()?,
        })
    }

    /// Returns the rows of the files that have changed since.
    pub(crate) fn changed(&self) -> Result<Vec<serde_json::Value>> {
        let mut rows = Vec::new();
        for (path, before) in &self.files {
            let after = crate::disk::files::read(path)?;
            let row = changed_file(path, before.as_deref(), after.as_deref());
            // The manifest of a package at the root is that of the workspace, too.
            rows.extend(row.filter(|row| !rows.contains(row)));
        }
        Ok(rows)
    }

    pub(crate) fn keep(mut self) {
        self.files.clear();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        for (path, bytes) in &self.files {
            let undone = match bytes {
                Some(bytes) if crate::disk::files::read(path).is_ok_and(|present| present.as_ref() == Some(bytes)) => {
                    Ok(())
                }
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

        let undo = Undo::of(&metadata)?;
        change()?;
        undo.keep();
        assert_eq!(fs::read_to_string(path("Cargo.toml"))?, "changed");
        assert!(path("Cargo.lock").exists() && !path("xtask/Cargo.toml").exists());
        Ok(())
    }
}
