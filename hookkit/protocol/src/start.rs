//! The settings files of a project that a session reads, depending on the folder where it was started.
//!
//! | started in | `settings.json`, `.claude/skills` | `settings.local.json` |
//! |---|---|---|
//! | the root of a repository | its own | its own |
//! | a folder of a repository | the folder's | the folder's, and the root's |
//! | a linked worktree, also below `.claude/worktrees` | the worktree's | the worktree's, and the main working tree's |
//! | a folder of a linked worktree | the folder's | the folder's, and the main working tree's |
//! | a nested repository, a submodule | its own | its own |
//! | a folder without a repository | its own | its own |
//!
//! - `$CLAUDE_PROJECT_DIR` is the folder where the session was started.
//! - `--add-dir`, `additionalDirectories` and a `cd` within the session add no hooks from files; `--add-dir` adds the
//!   plugins of marketplaces that the `settings.json` of that folder enables. The tool EnterWorktree keeps the
//!   session's hooks. A session resumed in another folder reads the files of that folder.
//! - In a folder that the user does not trust, a headless session reads the same settings, but no `.claude/skills`. An
//!   interactive session runs no hook until the user trusts the folder.
//! - After `/cd`, an interactive session reads the files of the new folder; `$CLAUDE_PROJECT_DIR` does not change.
//!
//! The tests in the real client cover everything that a headless session can show, and `tests/observed` has the record
//! (`starts.json`).
//!
//! All paths are without links.

use std::path::{Path, PathBuf};

/// Access to the files that the rule depends on: this crate itself reads no files.
pub trait Disk {
    /// Returns `true` if a path leads to a file or a folder.
    fn is_file_or_folder(&self, path: &Path) -> bool;

    /// Returns the text of a file, up to a maximum size.
    fn text(&self, path: &Path) -> Option<String>;

    /// Returns a path with its links followed. `None` if it leads nowhere.
    fn resolved(&self, path: &Path) -> Option<PathBuf>;
}

/// Returns the second folder whose `settings.local.json` a session reads: the root of the repository, or the main
/// working tree of a linked worktree. `None` if a session in the folder reads only its own.
///
/// The second file is stronger than all others of the project. The user's home is not a project, even if it is a
/// repository.
pub fn outer(folder: &Path, home: Option<&Path>, disk: &impl Disk) -> Option<PathBuf> {
    let main = main_tree(root(folder, disk)?, disk)?;
    (main != folder && Some(&*main) != home).then_some(main)
}

/// Returns the root of the working tree around a folder. For the client, any `.git` marks a root, even an empty folder.
pub fn root<'f>(folder: &'f Path, disk: &impl Disk) -> Option<&'f Path> {
    let mut folders = folder.ancestors();
    folders.find(|folder| disk.is_file_or_folder(&folder.join(".git")))
}

/// Returns the main working tree that belongs to a linked worktree with this root. `None` if the repository has no
/// working tree next to it.
pub fn main_tree(root: &Path, disk: &impl Disk) -> Option<PathBuf> {
    match repository(root, disk) {
        Some(git) => git.ends_with(".git").then(|| git.parent().map(Path::to_owned))?,
        None => Some(root.to_owned()),
    }
}

/// Returns the folder of the repository, if the working tree with this root is a linked one.
///
/// Anybody can write a `.git` file that names another repository. The client follows it only to a folder that git made
/// for this working tree: the folder is below `worktrees` of the repository, and its `gitdir` leads back.
fn repository(root: &Path, disk: &impl Disk) -> Option<PathBuf> {
    let link = root.join(".git");
    let git = root.join(disk.text(&link)?.trim().strip_prefix("gitdir:")?.trim());
    let git = disk.resolved(&git)?;
    let repository = disk.resolved(&git.join(disk.text(&git.join("commondir"))?.trim()))?;
    let back = git.join(disk.text(&git.join("gitdir"))?.trim());
    let leads_back = disk.resolved(&back)? == link;
    (leads_back && git.parent() == Some(&repository.join("worktrees"))).then_some(repository)
}
