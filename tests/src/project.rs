//! A throw-away project folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tempfile::TempDir;
use test_support::lines::Section;

use crate::xtask::repository;

/// A temporary folder that is a git repository, removed when dropped.
pub struct Project {
    path: PathBuf,
    /// Removed with the project; `None` where it stays.
    _folder: Option<TempDir>,
}

/// An empty repository on branch `main`, as `git init` makes it but without a process: each test makes some.
const REPOSITORY: [(&str, &str); 2] = [
    ("HEAD", "ref: refs/heads/main\n"),
    (
        "config",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = user\n\temail = user@example.invalid\n",
    ),
];

impl Project {
    /// Makes an empty one, on branch `main`, without a commit.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made.
    pub fn new() -> anyhow::Result<Project> {
        Self::named("")
    }

    /// Makes one in a folder of this name, which is alone in a temporary one: clones and worktrees find room next to it.
    ///
    /// # Errors
    ///
    /// As [`new`](Project::new).
    pub fn named(name: &str) -> anyhow::Result<Project> {
        // Without links: the client resolves them before it looks a project up.
        let folder = test_support::named_folder("hookkit-project-");
        let outer = folder.path().to_owned();
        let path = if name.is_empty() { outer } else { outer.join(name) };
        Self::at(path, Some(folder))
    }

    /// Makes one in a folder below the repository's target folder, or takes the one that is there. It stays, for the next
    /// run: what is installed there is only brought up to date.
    ///
    /// # Errors
    ///
    /// As [`new`](Project::new).
    pub fn kept(name: &str) -> anyhow::Result<Project> {
        Self::at(repository().join("target/tests/projects").join(name), None)
    }

    fn at(path: PathBuf, folder: Option<TempDir>) -> anyhow::Result<Project> {
        let git = path.join(".git");
        for folder in ["objects", "refs/heads"] {
            let folder = git.join(folder);
            fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        for (file, text) in REPOSITORY {
            let file = git.join(file);
            fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(Project { path, _folder: folder })
    }

    /// The folder, free of symbolic links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file at `path` (relative to the project), with the folders it needs.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
        let path = self.path.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Writes the files of a section: each row has a path, and the text.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write).
    pub fn write_files(&self, files: &Section) -> anyhow::Result<()> {
        files.rows.iter().try_for_each(|row| self.write(&row.expected.concat(), &row.line))
    }

    /// The text of the file at `path`.
    ///
    /// # Errors
    ///
    /// If there is none, or it is not UTF-8.
    pub fn read(&self, path: &str) -> anyhow::Result<String> {
        let path = self.path.join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Returns `true` if there is anything at `path`.
    pub fn exists(&self, path: &str) -> bool {
        self.path.join(path).exists()
    }

    /// Runs git in the project, free of the machine's git configuration; its stdout.
    ///
    /// # Errors
    ///
    /// If git cannot be started or says no.
    pub fn git(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let done = test_support::git_command(&self.path).args(arguments).output();
        let done = done.context("cannot start git")?;
        ensure!(done.status.success(), "git {arguments:?} failed: {}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_a_repository_of_its_own() -> anyhow::Result<()> {
        let project = Project::new()?;
        project.write("src/deep/a.txt", "text")?;
        assert_eq!(project.read("src/deep/a.txt")?, "text");
        assert!(project.exists("src/deep") && !project.exists("b.txt"));
        project.git(&["add", "."])?;
        project.git(&["commit", "--quiet", "--message", "start"])?;
        assert_eq!(project.git(&["log", "--format=%an %s"])?, "n start\n");
        assert_eq!(project.git(&["rev-parse", "--show-toplevel"])?.trim_end(), project.path().to_str().unwrap_or(""));
        Ok(())
    }
}
