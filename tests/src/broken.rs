//! `tests/fixtures/doctor`: settings files with one mistake each, and `expected.json`, with the expected findings of
//! each file and the observed behavior of the client.
//!
//! `fixed` has the same files after the edit in the finding's fix, if `doctor --fix` does not make it and it creates no
//! file. A test of `hookkit-xtask` demands one for each rule.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde::Deserialize;

use crate::World;
use crate::xtask::repository;

/// The expectation of one file.
#[derive(Deserialize)]
pub struct Expected {
    /// Lines, and parts of `doctor`'s reports about them.
    pub found: Vec<(u64, String)>,
    /// The client's reading of the file, if it was recorded.
    pub client: Option<Made>,
    /// The files that the fix makes, and their texts, where it makes some.
    #[serde(default)]
    makes: BTreeMap<String, String>,
    /// Modes of files and folders of the project, in octal digits.
    #[serde(default)]
    modes: BTreeMap<String, String>,
    /// The owner of the settings, if not the project: `user`.
    scope: Option<String>,
    /// The program that `/bin/sh` has to be.
    needs: Option<String>,
}

impl Expected {
    /// Returns `true` if the mistake is one on this machine.
    pub fn is_of_this_machine(&self) -> bool {
        let shell = fs::canonicalize("/bin/sh").unwrap_or_default();
        self.needs.as_ref().is_none_or(|needs| shell.ends_with(needs))
    }

    /// Returns the path of the settings file, in a world.
    pub fn file(&self, world: &World) -> PathBuf {
        match self.scope {
            Some(_) => world.user.path().join("settings.json"),
            None => world.project.path().join(".claude/settings.json"),
        }
    }

    /// Writes the file of this name into a world, which has the scripts.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn put(&self, world: &World, name: &str) -> Result<()> {
        fs::copy(folder().join(format!("{name}.json")), self.file(world))?;
        for (path, mode) in &self.modes {
            let mode = Permissions::from_mode(u32::from_str_radix(mode, 8)?);
            fs::set_permissions(world.project.path().join(path), mode)?;
        }
        Ok(())
    }

    /// Makes the fix of the finding.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn fix(&self, world: &World, name: &str) -> Result<()> {
        for (path, text) in &self.makes {
            world.project.write(path, text)?;
            fs::set_permissions(world.project.path().join(path), Permissions::from_mode(0o755))?;
        }
        let fixed = folder().join("fixed").join(format!("{name}.json"));
        if fixed.exists() {
            fs::copy(fixed, self.file(world))?;
        } else if self.makes.is_empty() && !self.found.is_empty() {
            let said = world.text(&["--fix", "--yes"])?;
            ensure!(said.ends_with("\nWritten\n"), "{name}: {said}");
        }
        Ok(())
    }
}

/// The client's reading of a settings file with one hook.
#[derive(Deserialize, Debug, PartialEq, Eq, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum Made {
    /// The client ignores the file.
    DropsFile,
    /// The client reads the file and drops the hook.
    DropsHook,
    /// The client lists the hook, and does not run it on a call of Bash, Write, Edit or Read.
    NeverRuns,
    /// The client runs the hook.
    Runs,
}

/// Returns the folder of the files.
pub fn folder() -> PathBuf {
    repository().join("tests/fixtures/doctor")
}

/// Returns the expectations, by the names of their files.
///
/// # Errors
///
/// If `expected.json` cannot be read.
pub fn expected() -> Result<BTreeMap<String, Expected>> {
    Ok(serde_json::from_str(&fs::read_to_string(folder().join("expected.json"))?)?)
}
