//! The programs of a session's hooks, one of which a command may take away.

use std::fs;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use hookkit::Environment;
use hookkit::protocol::guards::ELSEWHERE;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folders::elsewhere;
use crate::git_hooks::is_executable;
use crate::required::programs;
use crate::text_file;

/// A program, as it was when it was last compared.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Binary {
    path: PathBuf,
    looks: String,
}

impl Binary {
    /// Returns the programs of a session that starts now.
    pub(super) fn all(project: &Path, environment: Environment) -> Vec<Self> {
        let binary = |path: PathBuf| Self {
            looks: looks(&path),
            path,
        };
        programs(project, environment).into_iter().map(binary).collect()
    }

    pub(super) fn has_changed(&self) -> bool {
        looks(&self.path) != self.looks
    }

    /// Returns `true` once if the program is gone, or is another one than those that the records of this machine name.
    pub(super) fn is_lost(&mut self, environment: Environment) -> bool {
        if !self.has_changed() {
            return false;
        }
        self.looks = looks(&self.path);
        self.looks.is_empty() || !is_recorded(&self.path, environment)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns what a change of a program changes, too; nothing if there is no program.
fn looks(path: &Path) -> String {
    let found = fs::metadata(path).ok();
    let found = found.filter(|found| found.is_file() && is_executable(found));
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;
    #[cfg(unix)]
    let time = |found: &fs::Metadata| (found.ino(), found.ctime(), found.ctime_nsec());
    #[cfg(not(unix))]
    let time = |found: &fs::Metadata| found.modified().ok();
    found.map_or_else(String::new, |found| format!("{} {:?}", found.len(), time(&found)))
}

/// Returns `true` if a record names this program of a hook, or the script that has its place while the hook is off.
fn is_recorded(path: &Path, environment: Environment) -> bool {
    let (Some(hook), Ok(program)) = (path.file_name().and_then(|name| name.to_str()), fs::read(path)) else {
        return false;
    };
    let digest: String = Hash::hash(&program).iter().map(|byte| format!("{byte:02x}")).collect();
    let state = ELSEWHERE.iter().filter(|(_, path)| path.ends_with("hookkit"));
    let folders = state.flat_map(|row| elsewhere(row, environment));
    let places = folders.filter_map(|folder| fs::read_dir(folder.join("places")).ok());
    let notes = places
        .flatten()
        .flatten()
        .filter_map(|place| fs::read_dir(place.path()).ok());
    notes.flatten().flatten().any(|note| {
        let text = text_file::read(&note.path(), 1 << 24).unwrap_or_default();
        let note: Value = serde_json::from_str(&text).unwrap_or_default();
        let known = note["binaries"][hook].as_array();
        known.is_some_and(|known| known.iter().any(|known| *known == *digest)) || note[hook].get(&*digest).is_some()
    })
}
