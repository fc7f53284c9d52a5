//! Files below a folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Lists the files below a folder, except those in folders that are left out by their paths.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn below(folder: &Path, is_left_out: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if !path.is_dir() {
            files.push(path);
        } else if !is_left_out(&path) {
            files.extend(below(&path, is_left_out)?);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads all files below a folder.
///
/// # Errors
///
/// If one cannot be read.
pub fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let files = below(folder, &|_| false)?.into_iter();
    files.map(|path| Ok((path.clone(), fs::read(path)?))).collect()
}

/// Returns the names of the files in a folder, in order; empty without a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Returns a file's name.
pub fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Writes a program: a file that can be run, with the folders above it.
///
/// # Errors
///
/// If it cannot be written.
pub fn program(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.as_ref().parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&path, text)?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}
