//! Plugins that a session loads or may load, with a module that runs inside Claude Code.

use hookkit::project::config_folders;
use hookkit::protocol::mods::KEY;

use crate::prelude::*;
use crate::settings_files::{digest, json_of};

/// Plugins with a module, each with a digest of its files' lengths and times.
pub(crate) type Modules = BTreeMap<String, String>;

/// Maximum number of bytes of JSON to read for the plugins of a folder: a checkout decides how many there are.
const BYTES: u64 = 8 << 20;

/// Maximum number of plugins of a folder to read.
const PLUGINS: usize = 200;

/// Returns the plugins with a module in a `skills` folder, each with its files. If there are too many to read, the folder
/// itself is among them.
pub(crate) fn in_skills(skills: &Path) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let mut folders: Vec<PathBuf> = fs::read_dir(skills)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|folder| folder.join(MANIFEST).exists())
        .collect();
    folders.sort_unstable();
    let mut left = BYTES;
    let beyond = folders.split_off(folders.len().min(PLUGINS));
    folders
        .into_iter()
        .filter_map(|folder| Some((folder.clone(), files(&folder, &mut left)?)))
        .chain((!beyond.is_empty()).then(|| (skills.to_owned(), beyond)))
        .collect()
}

/// Returns the plugins with a module that a session in a folder may load, including installed ones that are not enabled.
pub(crate) fn of_session(project: &Path, environment: Environment) -> Modules {
    let mut left = BYTES;
    let mut found = in_skills(&project.join(".claude/skills"));
    for folder in config_folders(environment) {
        found.extend(in_skills(&folder.join("skills")));
        let installed = json_of::<Value>(&folder.join("plugins/installed_plugins.json")).unwrap_or_default();
        let paths = installed["plugins"]
            .as_object()
            .into_iter()
            .flatten()
            .flat_map(|(_, versions)| versions.as_array().into_iter().flatten());
        found.extend(
            paths
                .filter_map(|version| version["installPath"].as_str().map(PathBuf::from))
                .filter_map(|path| Some((path.clone(), files(&path, &mut left)?))),
        );
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

/// The file that makes a folder a plugin.
const MANIFEST: &str = ".claude-plugin/plugin.json";

/// Returns the files and folders of a plugin with a module; `None` for any other folder. Links in it are not followed.
///
/// A plugin with too many files, or with an unreadable file, counts as a plugin with a module. `left` is the number of
/// bytes that may still be read.
fn files(folder: &Path, left: &mut u64) -> Option<Vec<PathBuf>> {
    const MOST: usize = 2_000;
    let manifest = folder.join(MANIFEST);
    if !manifest.exists() {
        return None;
    }
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop().filter(|_| files.len() < MOST) {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            // A link's own type is that of a link.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            files.push(entry.path());
        }
    }
    files.sort_unstable();
    let mut names_module = |file: &PathBuf| {
        let is_json = *file != manifest && file.extension().is_some_and(|ending| ending == "json");
        is_json && json_of_plugin(file, left).is_none_or(|value| value.get(KEY).is_some())
    };
    let has_module = files.len() >= MOST || files.iter().any(&mut names_module);
    files.truncate(MOST);
    has_module.then_some(files)
}

/// Reads a file of a plugin; `None` if it is a link, longer than `left`, or not JSON.
fn json_of_plugin(file: &Path, left: &mut u64) -> Option<Value> {
    let found = fs::symlink_metadata(file).ok()?;
    *left = left.checked_sub(found.len()).filter(|_| found.is_file())?;
    json_of(file)
}
