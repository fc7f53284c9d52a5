//! Plugins with a module, which runs inside Claude Code: those that a session loads, or may load.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hookkit::project::config_folders;
use hookkit::protocol::mods::KEY;
use hookkit::{Environment, bounded};
use serde_json::Value;

use crate::settings_files::{LONGEST, digest};

/// Plugins with a module, each with a digest of the lengths and times of its files.
pub(crate) type Modules = BTreeMap<String, String>;

/// Returns the plugins in a `skills` folder that have a module, each with its files.
pub(crate) fn in_skills(skills: &Path) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let folders = fs::read_dir(skills).into_iter().flatten().flatten();
    let with_files = folders.filter_map(|entry| Some((entry.path(), files(&entry.path())?)));
    with_files.collect()
}

/// Returns the plugins with a module that a session in a folder may load, and those that are installed and not enabled.
pub(crate) fn of_session(project: &Path, environment: Environment) -> Modules {
    let mut found = in_skills(&project.join(".claude/skills"));
    for folder in config_folders(environment) {
        found.extend(in_skills(&folder.join("skills")));
        let installed = json(&folder.join("plugins/installed_plugins.json")).unwrap_or_default();
        let plugins = installed["plugins"].as_object().into_iter().flatten();
        let paths = plugins.flat_map(|(_, versions)| versions.as_array().into_iter().flatten());
        let paths = paths.filter_map(|version| version["installPath"].as_str().map(PathBuf::from));
        found.extend(paths.filter_map(|path| Some((path.clone(), files(&path)?))));
    }
    let looks = |file: &PathBuf| {
        let found = fs::metadata(file).ok()?;
        Some(format!("{file:?} {} {:?}\n", found.len(), found.modified()))
    };
    let with_digest = |(folder, files): (PathBuf, Vec<PathBuf>)| {
        let looks: String = files.iter().filter_map(looks).collect();
        (folder.to_string_lossy().into_owned(), digest(looks.as_bytes()))
    };
    found.into_iter().map(with_digest).collect()
}

/// Returns the files and folders of a plugin with a module; `None` for any other folder. One that is too large, or has a file
/// that cannot be read, counts as one.
fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    /// A folder with more may be a circle of links.
    const MOST: usize = 2_000;
    let manifest = folder.join(".claude-plugin/plugin.json");
    if !manifest.exists() {
        return None;
    }
    let mut files = vec![folder.to_owned()];
    let mut at = 0;
    while at < files.len().min(MOST) {
        let entries = fs::read_dir(&files[at]).into_iter().flatten().flatten();
        files.extend(entries.map(|entry| entry.path()));
        at += 1;
    }
    files.sort_unstable();
    let names_module = |file: &PathBuf| {
        let is_json = *file != manifest && file.extension().is_some_and(|ending| ending == "json");
        is_json && json(file).is_none_or(|value| value.get(KEY).is_some())
    };
    (at == MOST || files.iter().any(names_module)).then_some(files)
}

/// Reads a file; `None` if it is too long, or not JSON.
fn json(file: &Path) -> Option<Value> {
    let text = bounded::text(file, LONGEST).ok()?;
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(&text)).ok()
}
