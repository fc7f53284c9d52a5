//! The organization's settings of one process: a folder in the place of `/etc`, in a namespace of Linux.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use tempfile::TempDir;

use crate::files;

/// Has this folder in the place of `/etc` for a program and its arguments.
const COVER: &str = "mount --bind \"$1\" /etc && shift && exec \"$@\"";

/// A copy of `/etc`, for processes that see it in its place.
pub struct Managed {
    folder: TempDir,
}

impl Managed {
    /// Copies `/etc`; `None` where this system makes no namespaces for users.
    ///
    /// # Errors
    ///
    /// If it cannot be copied.
    pub fn new() -> Result<Option<Self>> {
        let folder = test_support::folder();
        // What cannot be read is not needed.
        Command::new("cp").args(["-a", "/etc"]).arg(folder.path().join("etc")).output()?;
        let managed = Self { folder };
        let is_possible = managed.covering().arg("true").output();
        Ok(is_possible.is_ok_and(|done| done.status.success()).then_some(managed))
    }

    /// The folder in the place of `/etc`.
    pub fn etc(&self) -> PathBuf {
        self.folder.path().join("etc")
    }

    /// The command whose arguments are a program, and that program's arguments.
    pub fn covering(&self) -> Command {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", COVER, "sh"]).arg(self.etc());
        command
    }

    /// Writes a program that is another one, covered.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn program(&self, of: &Path) -> Result<PathBuf> {
        let program = self.folder.path().join("program");
        let (etc, of) = (self.etc(), of.display());
        ensure!(!of.to_string().contains('\''), "{of}: a quote");
        let line = format!(
            "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c '{COVER}' sh '{}' '{of}' \"$@\"\n",
            etc.display(),
        );
        files::program(&program, line)?;
        Ok(program)
    }
}
