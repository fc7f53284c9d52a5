//! Git state of a folder: its work tree, branch, changes and commits.
//!
//! This module runs git, which must be installed. It never changes a repository.
//!
//! ```
//! use std::path::Path;
//!
//! use hookkit::git::WorkTree;
//! use hookkit::prelude::*;
//!
//! /// Denies commits on the main branch.
//! #[hook(PreToolUse, if = "Bash(git commit *)")]
//! pub fn no_commit_on_main(_call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer, Error> {
//!     let Some(tree) = WorkTree::around(&context.cwd)? else { return Ok(PreToolUseAnswer::pass()) };
//!     Ok(match tree.status()?.branch.as_deref() {
//!         Some("main") => PreToolUseAnswer::deny("commit on a branch of your own: git switch -c NAME"),
//!         _ => PreToolUseAnswer::pass(),
//!     })
//! }
//! # fn main() {}
//! ```
//!
//! Each call runs git once or twice, for at most 5 seconds or the hook's own time limit; [`WorkTree::find`] does not
//! run git. The repository may be hostile, so everything that could lead git elsewhere or make it start a program is
//! turned off: variables such as `GIT_DIR`, the pager, prompts, git's hooks, file system monitors, fetches for a
//! partial clone, and bare repositories, which a checkout can contain in any folder. Filters (`filter.*`) run if the
//! user's settings define them, as for Git LFS, but not if only the repository's configuration does: a file that such a
//! filter changed counts as modified when git compares its content. [`WorkTree::status`] reads the filters first: if a
//! program changes the repository's configuration between the two runs of git, a filter may run. No lock is taken, so a
//! concurrent `git commit` does not fail. git 2.26 or later is required; before 2.38, git still uses bare repositories.
//!
//! The module requires the feature `git`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookkit_protocol::git_variables::ELSEWHERE;

use crate::bounded;
use crate::process::{Command, Output};

mod history;
mod read;
mod settings;
mod status;
#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use history::{FileStat, RangeCommit};
use settings::Settings;
pub use status::{Change, ChangeKind, Status, Upstream};

/// Time limit for one run of git.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Maximum length of a repository file that is read without git, in bytes.
const LONGEST: u64 = 1 << 16;

/// Maximum length of git's stderr in an error, in bytes.
const MAX_STDERR: usize = 2000;

/// A folder with the files of a repository: the main work tree, a linked one (`git worktree`), or a submodule's.
#[derive(Debug, Clone)]
pub struct WorkTree {
    root: PathBuf,
    time_limit: Duration,
}

impl WorkTree {
    /// Returns the work tree that contains a folder, or `None` outside of repositories, in a bare repository, and in
    /// `.git`.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if git is not installed, which a hook may want to ignore, and
    /// with [`TimedOut`](io::ErrorKind::TimedOut) if git takes too long.
    /// Fails with another kind and git's error text if the folder does not exist, or git fails, for example in another
    /// user's repository that is not trusted (`safe.directory`). Also fails if the folder is not in the work tree that
    /// git reports, because `core.worktree` of a repository can name any folder.
    pub fn around(folder: impl AsRef<Path>) -> io::Result<Option<Self>> {
        let tree = Self { root: folder.as_ref().to_owned(), time_limit: TIME_LIMIT };
        tree.whole()
    }

    /// Returns the work tree that contains a folder, found by the nearest `.git`; `None` outside of repositories. Does
    /// not run git, which halves the cost of a hook that calls only one other method.
    ///
    /// In a folder that only looks like a repository, or that git does not trust, the first call that runs git fails. A
    /// `core.worktree` has no effect.
    pub fn find(folder: impl AsRef<Path>) -> Option<Self> {
        let folder = folder.as_ref().canonicalize().ok()?;
        let root = folder.ancestors().find(|folder| Self::is_root(folder))?.to_owned();
        Some(Self { root, time_limit: TIME_LIMIT })
    }

    /// Returns `true` if a folder has a `.git` that looks like a repository's; [`find`](Self::find) searches for that.
    pub fn is_root(folder: &Path) -> bool {
        let git = folder.join(".git");
        git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
    }

    /// Returns the root, with symbolic links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the branch, and the changes since the last commit.
    ///
    /// git examines each file, which takes time in a large repository. Untracked files are omitted if git's settings
    /// say so (`status.showUntrackedFiles`), as is usual in a home directory that is a work tree.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around).
    pub fn status(&self) -> io::Result<Status> {
        let settings = Settings::of(self)?;
        let leaves_out_untracked = ["no", "false", "off", "0"].contains(&&*settings.untracked());
        let arguments = [
            "--porcelain=v2",
            "-z",
            "--branch",
            if leaves_out_untracked { "--untracked-files=no" } else { "--untracked-files=all" },
            // Changes within submodules would require a run of git in each.
            "--ignore-submodules=dirty",
            "--find-renames",
        ];
        let output = self.run_with(&settings.without_own_filters()?, "status", arguments)?;
        let output = succeeded("status", output)?;
        Ok(Status::parse(&output.stdout, output.is_cut_off))
    }

    /// Returns the current branch, which may have no commits yet. `None` with a detached HEAD.
    ///
    /// The branch is read from the repository's file. Git runs only if the repository stores its branches in another
    /// way.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around).
    pub fn branch(&self) -> io::Result<Option<String>> {
        let head = self.own_folder().and_then(|git| bounded::text(&git.join("HEAD"), LONGEST).ok());
        let branch = head.and_then(|head| head.trim_end().strip_prefix("ref: refs/heads/").map(str::to_owned));
        if branch.as_deref().is_some_and(|branch| branch != ".invalid") {
            return Ok(branch);
        }
        let output = self.run("symbolic-ref", ["--quiet", "--short", "HEAD"])?;
        match output.status.code() {
            Some(1) => Ok(None),
            _ => Ok(Some(succeeded("symbolic-ref", output)?.stdout_text().into_owned())),
        }
    }

    /// Returns the folder where git keeps the state of this work tree.
    fn own_folder(&self) -> Option<PathBuf> {
        let git = self.root.join(".git");
        if git.is_dir() {
            return Some(git);
        }
        let text = bounded::text(&git, LONGEST).ok()?;
        Some(self.root.join(text.strip_prefix("gitdir:")?.trim()))
    }

    /// Returns at most `count` of the last commits, the latest first. A new repository has none.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around).
    pub fn last_commits(&self, count: usize) -> io::Result<Vec<Commit>> {
        let count = format!("--max-count={count}");
        let arguments = [&*count, "-z", "--format=%H%n%s", "--encoding=UTF-8", "--no-show-signature"];
        let output = self.run("log", arguments)?;
        if !output.status.success() {
            // For git, a repository without commits is an error.
            let head = self.run("rev-parse", ["--verify", "--quiet", "HEAD"])?;
            return if head.status.code() == Some(1) { Ok(Vec::new()) } else { Err(failed("log", &output)) };
        }
        let commits = output.stdout.split(|byte| *byte == 0).filter_map(|commit| {
            let text = String::from_utf8_lossy(commit);
            let (id, subject) = text.split_once('\n')?;
            Some(Commit { id: id.to_owned(), subject: subject.to_owned() })
        });
        Ok(commits.collect())
    }

    /// Returns `true` if git ignores a file: a `.gitignore` matches it or one of its folders, and it is not tracked.
    /// A relative path starts at the root. The file does not have to exist.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around). Also fails if the path is outside of the work tree, in a submodule, or beyond a
    /// symbolic link.
    pub fn is_ignored(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        // An absolute path cannot begin with `-` or `:`, which have a meaning for git.
        let path = self.root.join(path);
        let output = self.run("check-ignore", [OsStr::new("--quiet"), path.as_os_str()])?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failed("check-ignore", &output)),
        }
    }

    /// Returns `true` if a file is in the repository, or will be after the next commit. A folder is tracked if any of
    /// its files is.
    ///
    /// A relative path starts at the root. The file does not have to exist any more.
    ///
    /// # Errors
    ///
    /// See [`around`](Self::around). Also fails if the path is outside of the work tree.
    pub fn is_tracked(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        let mut literal = OsString::from(":(literal)");
        literal.push(self.root.join(path));
        let output = succeeded("ls-files", self.run("ls-files", [OsStr::new("-z"), &literal])?)?;
        Ok(!output.stdout.is_empty())
    }

    /// Replaces the folder, which may be anywhere in a work tree, with the root of that work tree.
    fn whole(self) -> io::Result<Option<Self>> {
        let folder = &self.root;
        let mut git = self.command(&[], "rev-parse", ["--show-toplevel"]);
        git.env_remove("GIT_WORK_TREE").env_remove("GIT_CEILING_DIRECTORIES");
        let output = git.output()?;
        if output.status.success() {
            let root = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
            let root = path(root);
            if !contains(&root, folder)? {
                return Err(io::Error::other(format!(
                    "git reports that {folder:?} is in the work tree {root:?}, which does not contain it: \
                     if the repository's configuration sets `core.worktree`, \
                     remove it with `git config --unset core.worktree`"
                )));
            }
            return Ok(Some(Self { root, ..self }));
        }
        // The exit code is the same as for other errors.
        let nowhere = [
            "fatal: not a git repository",
            "fatal: this operation must be run in a work tree",
            "fatal: cannot use bare repository",
        ];
        let stderr = output.stderr_text();
        if nowhere.iter().any(|message| stderr.starts_with(message)) {
            Ok(None)
        } else {
            Err(failed("rev-parse", &output))
        }
    }

    fn run(&self, command: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<Output> {
        self.run_with(&[], command, arguments)
    }

    fn run_with(
        &self,
        settings: &[OsString],
        command: &str,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> io::Result<Output> {
        self.command(settings, command, arguments).output()
    }

    fn command(
        &self,
        settings: &[OsString],
        command: &str,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut git = Command::new("git");
        for variable in ELSEWHERE {
            git.env_remove(variable);
        }
        // The repository's configuration names no other folder, and no folder above is the repository.
        git.env("GIT_WORK_TREE", &self.root)
            .env("GIT_CEILING_DIRECTORIES", self.root.parent().unwrap_or(&self.root))
            .env("GIT_NO_LAZY_FETCH", "1")
            // git before 2.44 ignores the variable above; there is no protocol `none`.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            // Untranslated messages, which the code compares.
            .env("LC_ALL", "C")
            .args(["--no-pager", "--no-optional-locks"])
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "safe.bareRepository=explicit"])
            .args(settings.iter().flat_map(|setting| [OsStr::new("-c"), setting]))
            .arg(command)
            .args(arguments)
            .current_dir(&self.root)
            .time_limit(self.time_limit);
        git
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commit {
    /// Full hash.
    pub id: String,
    /// First paragraph of the message, as one line, with U+FFFD in place of invalid UTF-8.
    pub subject: String,
}

fn succeeded(command: &str, output: Output) -> io::Result<Output> {
    if output.status.success() { Ok(output) } else { Err(failed(command, &output)) }
}

/// Returns an error with git's stderr.
#[cold]
fn failed(command: &str, output: &Output) -> io::Error {
    let why = output.stderr.trim_ascii();
    let why = String::from_utf8_lossy(&why[..why.len().min(MAX_STDERR)]);
    io::Error::other(format!("`git {command}` failed ({}): {why}", output.status))
}

/// Returns `true` if a folder is the root or below it, after resolving symbolic links.
fn contains(root: &Path, folder: &Path) -> io::Result<bool> {
    Ok(folder.canonicalize()?.starts_with(root.canonicalize()?))
}

/// Converts a path from git's output.
fn path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    // On Windows git writes UTF-8.
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(bytes).into_owned().into();
    path
}
