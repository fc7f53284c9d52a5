//! The folders in which hooks and the installer look for programs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Returns a `PATH` without relative folders and without folders in the project, where a checkout can contain its own
/// `git`.
///
/// If the project is the home folder or contains it, no folder counts as inside the project. `real` resolves the links
/// in a path.
pub fn outside(
    search_path: &OsStr,
    project: Option<&Path>,
    home: Option<&Path>,
    real: impl Fn(&Path) -> Option<PathBuf>,
) -> OsString {
    let real = |path: &Path| real(path).unwrap_or_else(|| path.to_owned());
    let project = project.map(real).filter(|project| !home.is_some_and(|home| real(home).starts_with(project)));
    let is_outside = |folder: &PathBuf| {
        let folder = folder.is_absolute().then(|| real(folder));
        folder.is_some_and(|folder| !project.as_ref().is_some_and(|project| folder.starts_with(project)))
    };
    match env::join_paths(env::split_paths(search_path).filter(is_outside)) {
        Ok(folders) if !folders.is_empty() => folders,
        // An empty `PATH` would mean the current folder; this one has no programs.
        _ => "/dev/null".into(),
    }
}
