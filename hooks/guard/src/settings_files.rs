//! The settings files that a session reads, by the folder where it starts (client 2.1.330).
//!
//! The client tier plays the rule (`tests/observed`, `starts.json`): `settings.json` counts only in the folder itself, and
//! `settings.local.json` also in the root of the main working tree.

use std::fs;
use std::path::{Path, PathBuf};

use hookkit::Environment;
use hookkit::protocol::settings::MANAGED_FOLDER;

use crate::folders::{config_folders, in_homes};
use crate::text_file;

/// The owner of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    User,
    Project,
    Organization,
}

/// A longer file is not read.
pub(crate) const LONGEST: u64 = 1 << 20;

/// Returns the user's and the project's files, from the weakest to the strongest.
pub(crate) fn of_session(project: &Path, environment: Environment) -> Vec<(Owner, PathBuf)> {
    let users = config_folders(environment).into_iter();
    let users = users.map(|folder| (Owner::User, folder.join("settings.json")));
    let local = [project.to_owned()].into_iter().chain(outer(project, environment));
    let local = local.map(|folder| folder.join(".claude/settings.local.json"));
    let of_project = [project.join(".claude/settings.json")].into_iter().chain(local);
    users.chain(of_project.map(|file| (Owner::Project, file))).collect()
}

/// Returns the organization's files, from the weakest to the strongest.
pub(crate) fn of_organization() -> Vec<(Owner, PathBuf)> {
    let folder = Path::new(MANAGED_FOLDER);
    let parts = fs::read_dir(folder.join("managed-settings.d"));
    let parts = parts.into_iter().flatten().flatten().map(|part| part.path());
    let mut parts: Vec<PathBuf> = parts
        .filter(|part| part.extension().is_some_and(|end| end == "json"))
        .collect();
    parts.sort_unstable();
    let files = [folder.join("managed-settings.json")].into_iter().chain(parts);
    files.map(|file| (Owner::Organization, file)).collect()
}

/// Returns the root of the working tree around a folder. To the client, any `.git` marks one.
pub(crate) fn root(folder: &Path) -> Option<&Path> {
    let is_root = |folder: &&Path| {
        let git = folder.join(".git");
        git.is_dir() || git.is_file()
    };
    folder.ancestors().find(is_root)
}

/// Returns `true` if a folder, whose path is without links, is the user's home, which is not a project.
pub(crate) fn is_home(folder: &Path, environment: Environment) -> bool {
    let mut homes = in_homes(environment, "").into_iter();
    homes.any(|home| fs::canonicalize(home).is_ok_and(|home| home == folder))
}

/// Returns the other folder whose local settings a session reads: the root of the main working tree.
fn outer(project: &Path, environment: Environment) -> Option<PathBuf> {
    let folder = fs::canonicalize(project).ok()?;
    let root = root(&folder)?;
    let main = match repository(root) {
        Some(git) => git.parent().filter(|_| git.ends_with(".git"))?.to_owned(),
        None => root.to_owned(),
    };
    (main != folder && !is_home(&main, environment)).then_some(main)
}

/// Returns the repository's own folder, if the working tree with this root is a linked one.
///
/// Anybody can write a `.git` file that names another repository: it counts if git's own folder for the tree leads back.
fn repository(root: &Path) -> Option<PathBuf> {
    let text = |path: &Path| text_file::read(path, LONGEST).ok();
    let link = root.join(".git");
    let git = root.join(text(&link)?.trim().strip_prefix("gitdir:")?.trim());
    let git = fs::canonicalize(git).ok()?;
    let repository = fs::canonicalize(git.join(text(&git.join("commondir"))?.trim())).ok()?;
    let back = fs::canonicalize(git.join(text(&git.join("gitdir"))?.trim())).ok()?;
    (back == link && git.parent() == Some(&repository.join("worktrees"))).then_some(repository)
}
