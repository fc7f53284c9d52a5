//! The project of a session: the settings files that the session reads, and the git working trees that it may be in.
//!
//! Files that are not committed exist only in the main working tree, but the client, the user or the model can create
//! linked working trees. [`Context::project_file`] finds a hook's list, check or configuration, so that the hook uses
//! the same file in all working trees.

use std::fs;
use std::path::{Path, PathBuf};

use hookkit_protocol::guards::SETTINGS;
use hookkit_protocol::settings::{MANAGED_FILE, MANAGED_FOLDER, MANAGED_PARTS, is_managed_part};
use hookkit_protocol::start::{self, Disk};

use crate::{Context, Environment, bounded};

/// Access to this machine's files, for the rules of [`protocol::start`](crate::protocol::start).
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl Disk for Machine {
    fn is_file_or_folder(&self, path: &Path) -> bool {
        path.is_dir() || path.is_file()
    }

    fn text(&self, path: &Path) -> Option<String> {
        /// Maximum size of a git file that contains a path.
        const LONGEST: u64 = 1 << 16;
        bounded::text(path, LONGEST).ok()
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }
}

/// Returns the root of the working tree around a path, and the root of its repository's main working tree. The path
/// must have no links.
pub fn trees(path: &Path) -> Option<(&Path, PathBuf)> {
    let root = start::root(path, &Machine)?;
    Some((root, start::main_tree(root, &Machine)?))
}

/// The owner of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The user: the file applies to all projects.
    User,
    /// The project. The file is not necessarily committed.
    Project,
    /// The organization: no user can change the file.
    Organization,
}

/// Returns the user's and the project's settings files, from the weakest to the strongest.
pub fn of_session(project: &Path, environment: Environment) -> Vec<(Owner, PathBuf)> {
    let users = config_folders(environment).into_iter();
    let users = users.map(|folder| (Owner::User, folder.join(SETTINGS[0])));
    let local = [project.to_owned()].into_iter().chain(outer(project, environment));
    let local = local.map(|folder| folder.join(".claude").join(SETTINGS[1]));
    let of_project = [project.join(".claude").join(SETTINGS[0])].into_iter().chain(local);
    users.chain(of_project.map(|file| (Owner::Project, file))).collect()
}

/// Returns the organization's settings files, from the weakest to the strongest.
pub fn of_organization() -> Vec<(Owner, PathBuf)> {
    let folder = Path::new(MANAGED_FOLDER);
    let parts = fs::read_dir(folder.join(MANAGED_PARTS)).into_iter().flatten().flatten();
    let parts = parts.filter(|part| is_managed_part(&part.file_name()));
    let mut parts: Vec<PathBuf> = parts.map(|part| part.path()).collect();
    parts.sort_unstable();
    let files = [folder.join(MANAGED_FILE)].into_iter().chain(parts);
    files.map(|file| (Owner::Organization, file)).collect()
}

/// Returns `true` if a folder is the user's home, which is not a project. The folder's path must have no links.
pub fn is_home(folder: &Path, environment: Environment) -> bool {
    let mut homes = in_homes(environment, "").into_iter();
    homes.any(|home| fs::canonicalize(home).is_ok_and(|home| home == folder))
}

/// Returns the second folder from which a session reads local settings, if there is one.
fn outer(project: &Path, environment: Environment) -> Option<PathBuf> {
    let folder = fs::canonicalize(project).ok()?;
    start::outer(&folder, None, &Machine).filter(|outer| !is_home(outer, environment))
}

/// Returns the folders with the user's configuration of the client.
pub fn config_folders(environment: Environment) -> Vec<PathBuf> {
    match environment.variable("CLAUDE_CONFIG_DIR") {
        Some(folder) => vec![folder.into()],
        None => in_homes(environment, ".claude"),
    }
}

/// Returns a path in each of the user's home folders. Windows can have two.
pub fn in_homes(environment: Environment, path: &str) -> Vec<PathBuf> {
    let folder = |name| environment.variable(name).map(PathBuf::from);
    let homes = [folder("HOME"), folder("USERPROFILE").filter(|folder| folder.is_absolute())];
    homes.into_iter().flatten().map(|home| home.join(path)).collect()
}

impl Context {
    /// Returns the project's folder in the main working tree of its repository.
    ///
    /// It is [`project_dir`](Self::project_dir), unless the session was started in a linked working tree.
    pub fn main_project_dir(&self) -> PathBuf {
        let in_main = || {
            let project = fs::canonicalize(&self.project_dir).ok()?;
            let (root, main) = trees(&project)?;
            (main != root).then(|| main.join(project.strip_prefix(root).unwrap_or(Path::new(""))))
        };
        in_main().unwrap_or_else(|| self.project_dir.clone())
    }

    /// Returns the path of the project's list, check or configuration: in the [main working
    /// tree](Self::main_project_dir) if the file exists there, and in [`project_dir`](Self::project_dir) if not.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Gives the model the project's glossary.
    /// #[hook(SessionStart)]
    /// pub fn glossary(context: Context) -> SessionStartAnswer {
    ///     match std::fs::read_to_string(context.project_file(".claude/glossary.md")) {
    ///         Ok(text) => SessionStartAnswer::pass().with_context(text),
    ///         Err(_) => SessionStartAnswer::pass(),
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    pub fn project_file(&self, file: impl AsRef<Path>) -> PathBuf {
        let in_main = self.main_project_dir().join(&file);
        match in_main.symlink_metadata() {
            Ok(_) => in_main,
            Err(_) => self.project_dir.join(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_working_tree_has_the_files_of_the_main_one() {
        let folder = test_support::folder();
        let folder = folder.path().canonicalize().unwrap();
        let (main, linked) = (folder.join("main"), folder.join("linked"));
        fs::create_dir_all(main.join("sub/.claude")).unwrap();
        test_support::git(&main, &["init", "-q"]);
        test_support::git(&main, &["commit", "-q", "--allow-empty", "-m", "One"]);
        test_support::git(&main, &["worktree", "add", "-q", "../linked"]);
        for tree in [&main, &linked] {
            fs::create_dir_all(tree.join("sub/.claude")).unwrap();
        }
        let mut context = Context { project_dir: linked.join("sub"), ..Context::default() };
        assert_eq!(context.main_project_dir(), main.join("sub"));
        assert_eq!(context.project_file(".claude/x"), linked.join("sub/.claude/x"));
        fs::write(main.join("sub/.claude/x"), "").unwrap();
        assert_eq!(context.project_file(".claude/x"), main.join("sub/.claude/x"));
        // Anybody can write such a file.
        let forged = folder.join("forged");
        fs::create_dir(&forged).unwrap();
        fs::copy(linked.join(".git"), forged.join(".git")).unwrap();
        context.project_dir.clone_from(&forged);
        assert_eq!(context.main_project_dir(), forged);
    }
}
