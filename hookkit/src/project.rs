//! The project of a session that runs in a linked working tree of git's.
//!
//! Files that are not committed are in the main working tree alone, and a linked one is made by the client, by the user or by
//! the model. A hook reads a list, a check or a configuration by [`Context::project_file`], so that it goes by the same file
//! in each of them.

use std::fs;
use std::path::{Path, PathBuf};

use hookkit_protocol::start::{self, Disk};

use crate::{Context, bounded};

/// The files of this machine, for the rules of [`protocol::start`](crate::protocol::start).
#[derive(Debug, Clone, Copy)]
pub struct Machine;

impl Disk for Machine {
    fn is_file_or_folder(&self, path: &Path) -> bool {
        path.is_dir() || path.is_file()
    }

    fn text(&self, path: &Path) -> Option<String> {
        /// git's own are a path.
        const LONGEST: u64 = 1 << 16;
        bounded::text(path, LONGEST).ok()
    }

    fn resolved(&self, path: &Path) -> Option<PathBuf> {
        fs::canonicalize(path).ok()
    }
}

/// Returns the root of the working tree around a path without links, and the root of the main working tree of its repository.
pub fn trees(path: &Path) -> Option<(&Path, PathBuf)> {
    let root = start::root(path, &Machine)?;
    Some((root, start::main_tree(root, &Machine)?))
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

    /// Returns the path of a list, a check or a configuration that the project has: of the file in the
    /// [main working tree](Self::main_project_dir) if it is there, or else of that in [`project_dir`](Self::project_dir).
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
        let mut context = Context {
            project_dir: linked.join("sub"),
            ..Context::default()
        };
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
