//! Files of a workspace, and files that belong to the user.

#![expect(clippy::disallowed_methods, reason = "the files belong to the workspace being built, or to the user")]

use std::env;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::disk::beneath::if_there;

/// Reads a file of a workspace or of the user. `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    if_there(std::fs::read(path)).with_context(|| format!("reading {}", path.display()))
}

/// Returns the path in an environment variable, unless it is empty.
pub(crate) fn of_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Returns the root of the repository that contains a folder.
pub(crate) fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// Returns the readable entries of a folder.
pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Reads an existing file, such as one built by cargo.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("reading {}", path.display()))
}

/// Reads the text of an existing file.
pub(crate) fn text(path: &Path) -> Result<String> {
    String::from_utf8(bytes(path)?).with_context(|| format!("reading {}", path.display()))
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// Creates a folder and the missing folders above it.
pub(crate) fn create(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))
}

/// Removes a file of a workspace or of the user, if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if_there(std::fs::remove_file(path)).map(drop);
    removed.with_context(|| format!("removing {}", path.display()))
}

/// Returns a path as a string.
pub(crate) fn utf8(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}
