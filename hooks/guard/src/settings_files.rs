//! The settings files that a session reads, by the rule of [`hookkit::protocol::start`].

use std::fs;
use std::path::{Path, PathBuf};

use hookkit::Environment;
use hookkit::project::{Machine, trees};
use hookkit::protocol::escape::{LineEnds, escape};
use hookkit::protocol::guards::SETTINGS;
use hookkit::protocol::settings::{MANAGED_FOLDER, MANAGED_PARTS, is_managed_part};
use hookkit::protocol::start;

use crate::folders::{config_folders, in_homes};

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
    let users = users.map(|folder| (Owner::User, folder.join(SETTINGS[0])));
    let local = [project.to_owned()].into_iter().chain(outer(project, environment));
    let local = local.map(|folder| folder.join(".claude").join(SETTINGS[1]));
    let of_project = [project.join(".claude").join(SETTINGS[0])].into_iter().chain(local);
    users.chain(of_project.map(|file| (Owner::Project, file))).collect()
}

/// Returns the organization's files, from the weakest to the strongest.
pub(crate) fn of_organization() -> Vec<(Owner, PathBuf)> {
    let folder = Path::new(MANAGED_FOLDER);
    let parts = fs::read_dir(folder.join(MANAGED_PARTS)).into_iter().flatten().flatten();
    let parts = parts.filter(|part| is_managed_part(&part.file_name()));
    let mut parts: Vec<PathBuf> = parts.map(|part| part.path()).collect();
    parts.sort_unstable();
    let files = [folder.join("managed-settings.json")].into_iter().chain(parts);
    files.map(|file| (Owner::Organization, file)).collect()
}

/// Returns a path as it is shown, on one line.
pub(crate) fn shown(path: &Path) -> String {
    format!("`{}`", escape(&path.display().to_string(), LineEnds::Blank))
}

/// Returns the root of the working tree around a folder.
pub(crate) fn root(folder: &Path) -> Option<&Path> {
    start::root(folder, &Machine)
}

/// Returns `true` if a working tree is linked to another one.
pub(crate) fn is_linked(root: &Path) -> bool {
    trees(root).is_some_and(|(root, main)| main != root)
}

/// Returns `true` if a folder, whose path is without links, is the user's home, which is not a project.
pub(crate) fn is_home(folder: &Path, environment: Environment) -> bool {
    let mut homes = in_homes(environment, "").into_iter();
    homes.any(|home| fs::canonicalize(home).is_ok_and(|home| home == folder))
}

/// Returns the other folder whose local settings a session reads.
fn outer(project: &Path, environment: Environment) -> Option<PathBuf> {
    let folder = fs::canonicalize(project).ok()?;
    start::outer(&folder, None, &Machine).filter(|outer| !is_home(outer, environment))
}
