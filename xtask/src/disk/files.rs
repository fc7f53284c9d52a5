//! Files of a workspace, and of the user's own.

#![expect(
    clippy::disallowed_methods,
    reason = "the files are those of a workspace that is built, or the user's own"
)]

use std::path::Path;

use anyhow::{Context, Result};

use crate::disk::beneath::if_there;

/// Reads a file of a workspace, or of the user's own, that need not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if_there(std::fs::read(path)).with_context(|| format!("reading {}", path.display()))
}

/// Reads what cargo has built.
pub(crate) fn built(binary: &Path) -> Result<Vec<u8>> {
    std::fs::read(binary).with_context(|| format!("reading {}", binary.display()))
}

/// Removes a file of a workspace, or of the user's own, if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if_there(std::fs::remove_file(path)).map(drop);
    removed.with_context(|| format!("removing {}", path.display()))
}
