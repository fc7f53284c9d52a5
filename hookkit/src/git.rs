//! The state of a git repository: the work tree, its branch, its changes, its last commits.
//!
//! git itself is asked, which has to be installed; nothing here changes a repository.
//!
//! ```
//! use std::path::Path;
//!
//! use hookkit::git::WorkTree;
//! use hookkit::prelude::*;
//!
//! /// Denies commits on the shared branch.
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
//! Each call starts git once or twice, and gives it 5 seconds, or as long as the hook has.
//! The repository may be a hostile one, so git gets nothing that could lead it elsewhere or have it start a program:
//! variables such as `GIT_DIR`, a pager, prompts, git's own hooks, file system monitors, fetches of what a partial clone
//! lacks, and bare repositories, of which a checkout can bring one in any folder.
//! Filters (`filter.*`) run where the user's own settings name them, as for Git LFS, and not where the repository's own
//! configuration does: a file that such a filter has changed counts as modified when git has to compare its content.
//! [`WorkTree::status`] asks for the filters first: a program that writes the repository's configuration between the two
//! runs of git can have a filter run.
//! It takes no lock, so that a `git commit` meanwhile does not fail.
//! git 2.26 or later is required; before 2.38 it does use bare repositories.
//!
//! The module is behind the feature `git`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookkit_protocol::git_variables::ELSEWHERE;

use crate::process::{Command, Output};

mod settings;
mod status;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use settings::Settings;
pub use status::{Change, ChangeKind, Status, Upstream};

/// Time limit of a call of git.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Maximum number of bytes of git's complaint that an error shows.
const MAX_COMPLAINT: usize = 2000;

/// A folder with the files of a repository: the main one, a linked one (`git worktree`), or that of a submodule.
#[derive(Debug, Clone)]
pub struct WorkTree {
    root: PathBuf,
    time_limit: Duration,
}

impl WorkTree {
    /// The work tree that a folder is in. There is none outside of repositories, in a bare one, and within `.git`.
    ///
    /// # Errors
    ///
    /// Of the kind [`NotFound`](io::ErrorKind::NotFound) if git is not installed, which some hooks ignore,
    /// and [`TimedOut`](io::ErrorKind::TimedOut) where it took too long.
    /// Any other where the folder is not there, or git fails, with its words: of a repository that belongs to another user
    /// it reports nothing unless it is trusted (`safe.directory`). And where the folder is not in the work tree that git
    /// reports: `core.worktree` of a repository can name any other.
    pub fn around(folder: impl AsRef<Path>) -> io::Result<Option<Self>> {
        let tree = Self {
            root: folder.as_ref().to_owned(),
            time_limit: TIME_LIMIT,
        };
        tree.whole()
    }

    /// Its root, without links in it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the branch, the upstream and the changes since the last commit.
    ///
    /// It looks at each file, which takes its time in a large repository. Where the user's settings say that git shall not
    /// look for new ones (`status.showUntrackedFiles`), as in a home that is a work tree, they are not among the changes.
    ///
    /// # Errors
    ///
    /// As for [`around`](Self::around).
    pub fn status(&self) -> io::Result<Status> {
        let settings = Settings::of(self)?;
        let leaves_out_untracked = ["no", "false", "off", "0"].contains(&&*settings.untracked());
        let arguments = [
            "--porcelain=v2",
            "-z",
            "--branch",
            if leaves_out_untracked {
                "--untracked-files=no"
            } else {
                "--untracked-files=all"
            },
            // What is within a submodule would be a run of git in each.
            "--ignore-submodules=dirty",
            "--find-renames",
        ];
        let output = self.run_with(&settings.without_own_filters()?, "status", arguments)?;
        let output = succeeded("status", output)?;
        Ok(Status::parse(&output.stdout, output.is_cut_off))
    }

    /// The last commits, the latest first, and no more than so many. There are none in a new repository.
    ///
    /// # Errors
    ///
    /// As for [`around`](Self::around).
    pub fn last_commits(&self, count: usize) -> io::Result<Vec<Commit>> {
        let count = format!("--max-count={count}");
        let arguments = [
            &*count,
            "-z",
            "--format=%H%n%s",
            "--encoding=UTF-8",
            "--no-show-signature",
        ];
        let output = self.run("log", arguments)?;
        if !output.status.success() {
            // It is an error for git that there is nothing to show.
            let head = self.run("rev-parse", ["--verify", "--quiet", "HEAD"])?;
            return if head.status.code() == Some(1) {
                Ok(Vec::new())
            } else {
                Err(failed("log", &output))
            };
        }
        let commits = output.stdout.split(|byte| *byte == 0).filter_map(|commit| {
            let text = String::from_utf8_lossy(commit);
            let (id, subject) = text.split_once('\n')?;
            Some(Commit {
                id: id.to_owned(),
                subject: subject.to_owned(),
            })
        });
        Ok(commits.collect())
    }

    /// Returns `true` if git passes over a file: a `.gitignore` names it, or one of its folders, and it is not tracked.
    /// A relative path is one from the root. The file need not be there.
    ///
    /// # Errors
    ///
    /// As for [`around`](Self::around), and where the path is outside of the work tree, in a submodule, or behind a link.
    pub fn is_ignored(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        // A whole path begins with nothing that means anything, as `-` and `:` do.
        let path = self.root.join(path);
        let output = self.run("check-ignore", [OsStr::new("--quiet"), path.as_os_str()])?;
        match output.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(failed("check-ignore", &output)),
        }
    }

    /// Returns `true` if a file is in the repository, or will be with the next commit. Of a folder: whether one in it is.
    /// A relative path is one from the root. The file need not be there any more.
    ///
    /// # Errors
    ///
    /// As for [`around`](Self::around), and where the path is outside of the work tree.
    pub fn is_tracked(&self, path: impl AsRef<Path>) -> io::Result<bool> {
        let mut literal = OsString::from(":(literal)");
        literal.push(self.root.join(path));
        let output = succeeded("ls-files", self.run("ls-files", [OsStr::new("-z"), &literal])?)?;
        Ok(!output.stdout.is_empty())
    }

    /// The tree that a folder is in, which is its root so far.
    fn whole(self) -> io::Result<Option<Self>> {
        let folder = &self.root;
        let output = self.run("rev-parse", ["--show-toplevel"])?;
        if output.status.success() {
            let root = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
            let root = path(root);
            if !contains(&root, folder)? {
                return Err(io::Error::other(format!(
                    "git says that {folder:?} is in the work tree {root:?}, which does not contain it: \
                     if the repository's own configuration says so, \
                     remove the setting with `git config --unset core.worktree`"
                )));
            }
            return Ok(Some(Self { root, ..self }));
        }
        // The exit code is that of any error.
        let nowhere = [
            "fatal: not a git repository",
            "fatal: this operation must be run in a work tree",
            "fatal: cannot use bare repository",
        ];
        let complaint = output.stderr_text();
        if nowhere.iter().any(|words| complaint.starts_with(words)) {
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
        let mut git = Command::new("git");
        for variable in ELSEWHERE {
            git.env_remove(variable);
        }
        git.env("GIT_NO_LAZY_FETCH", "1")
            // Before 2.44 it fetches all the same: no protocol has this name.
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_TERMINAL_PROMPT", "0")
            // In its own words, by which errors are recognized.
            .env("LC_ALL", "C")
            .args(["--no-pager", "--no-optional-locks"])
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(["-c", "safe.bareRepository=explicit"])
            .args(settings.iter().flat_map(|setting| [OsStr::new("-c"), setting]))
            .arg(command)
            .args(arguments)
            .current_dir(&self.root)
            .time_limit(self.time_limit)
            .output()
    }
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commit {
    /// Its name, in full.
    pub id: String,
    /// The first lines of its message, as one. What is not UTF-8 is U+FFFD.
    pub subject: String,
}

fn succeeded(command: &str, output: Output) -> io::Result<Output> {
    if output.status.success() {
        Ok(output)
    } else {
        Err(failed(command, &output))
    }
}

/// An error in git's words.
#[cold]
fn failed(command: &str, output: &Output) -> io::Error {
    let why = output.stderr.trim_ascii();
    let why = String::from_utf8_lossy(&why[..why.len().min(MAX_COMPLAINT)]);
    io::Error::other(format!("`git {command}` failed ({}): {why}", output.status))
}

/// Returns whether a folder is the root or below it, whatever links are in their paths.
fn contains(root: &Path, folder: &Path) -> io::Result<bool> {
    Ok(folder.canonicalize()?.starts_with(root.canonicalize()?))
}

/// A path as git writes it.
fn path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    // There it is UTF-8.
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(bytes).into_owned().into();
    path
}
