//! Folders for what a session leaves.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// Makes a folder that only the user can read, with a `.gitignore` that keeps it out of a repository. One that is there
/// stays as it is.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(err) if err.kind() == ErrorKind::AlreadyExists => Ok(()),
        // Before anything is in it, so that no `git add` finds one without the other.
        made => made.and_then(|()| fs::write(folder.join(".gitignore"), "*\n")),
    }
}
