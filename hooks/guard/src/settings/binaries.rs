//! The programs of a session's hooks, which a command may replace or delete.

use hookkit::protocol::guards::RECORDS;

use crate::folders::elsewhere;
use crate::git_hooks::is_executable;
use crate::prelude::*;
use crate::required::programs;
use crate::settings_files::{digest, json_of};

/// Programs, as they were at the last comparison.
pub(super) type Binaries = BTreeMap<PathBuf, String>;

/// Returns the programs in a session that starts now.
pub(super) fn of_session(project: &Path, environment: Environment) -> Binaries {
    programs(project, environment).map(|path| (path.clone(), looks(&path))).collect()
}

pub(super) fn have_changed(binaries: &Binaries) -> bool {
    binaries.iter().any(|(path, before)| looks(path) != *before)
}

/// Returns the programs that are gone, or that are in no record on this machine, each only once.
pub(super) fn lost(binaries: &mut Binaries, environment: Environment) -> Vec<PathBuf> {
    let mut lost = Vec::new();
    for (path, before) in binaries {
        let now = looks(path);
        if now != *before && (now.is_empty() || !is_recorded(path, environment)) {
            lost.push(path.clone());
        }
        *before = now;
    }
    lost
}

/// Returns the length and the time of a program; empty if it cannot be started.
fn looks(path: &Path) -> String {
    let found = fs::metadata(path).ok();
    let found = found.filter(|found| found.is_file() && is_executable(found));
    found.map_or_else(String::new, |found| format!("{} {:?}", found.len(), found.modified()))
}

/// Returns `true` if a record names a hook's program, or the script that replaces it while the hook is off.
fn is_recorded(path: &Path, environment: Environment) -> bool {
    let hook = path.file_name().unwrap_or_default().to_string_lossy();
    let digest = digest(&fs::read(path).unwrap_or_default());
    let mut folders: Vec<PathBuf> = RECORDS.iter().flat_map(|row| elsewhere(row, environment)).collect();
    for part in ["places", ""] {
        folders = folders
            .iter()
            .flat_map(|folder| fs::read_dir(folder.join(part)))
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
    }
    folders.iter().any(|note| {
        let note: Value = json_of(note).unwrap_or_default();
        let known = note["binaries"][&*hook].as_array();
        known.is_some_and(|known| known.contains(&Value::from(&*digest))) || note[&*hook].get(&digest).is_some()
    })
}
