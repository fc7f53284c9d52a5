//! Files whose current content git has, and files that git cannot bring back.

use std::ffi::{OsStr, OsString};
use std::io;

use super::{Known, Places};
use crate::prelude::*;
use crate::repository::{is_built, work_in};

/// Maximum number of files of a line to ask git about. Each name may need a run of git.
const MOST: usize = 20;

/// Files of a working tree.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Tree {
    Tracked,
    /// Tracked files, if the branch's commits are also in its upstream.
    Pushed,
    /// All files, also those that git ignores or does not have.
    All,
}

impl Tree {
    /// Returns the files that the index, or another commit, may replace.
    pub(crate) fn of(has_commit: bool) -> Self {
        if has_commit { Self::All } else { Self::Tracked }
    }
}

impl Places {
    /// Returns `true` if git has the current content of all these files, or of all tracked files among them.
    ///
    /// If git cannot be asked, or the folder is not certain, the answer is `false`.
    pub(crate) fn are_committed(&self, names: &[&str], files: Tree) -> bool {
        let Some(context) = self.only().filter(|_| self.may_ask(names.len())) else {
            return false;
        };
        let committed = || -> io::Result<bool> {
            let Some(tree) = WorkTree::find(&context.cwd) else {
                return Ok(false);
            };
            let paths: Result<Vec<_>, Error> = names.iter().map(|name| Ok(context.path(name)?.resolved)).collect();
            let paths = paths.map_err(io::Error::other)?;
            let options: &[&str] = match files {
                Tree::All => &["-z", "--ignored", "--untracked-files=all", "--"],
                Tree::Tracked | Tree::Pushed => &["-z", "--untracked-files=no", "--"],
            };
            let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
            arguments
                .extend(paths.iter().map(|path| [OsStr::new(":(literal)"), path.as_os_str()].join(OsStr::new(""))));
            let output = tree.read("status", arguments)?;
            let are_known = || !output.stdout.is_empty() || paths.iter().all(|path| path.exists());
            Ok(output.status.success() && output.stdout.split(|byte| *byte == 0).all(is_kept) && are_known())
        };
        committed().unwrap_or(false)
    }

    /// Returns `true` if git has the current content of these files, and the line does not restore other files with
    /// `git stash pop`.
    pub(crate) fn is_clean(&self, tree: Tree) -> bool {
        let options = match tree {
            Tree::All => ["-bz", "--ignored"],
            Tree::Tracked | Tree::Pushed => ["-bz", "--untracked-files=no"],
        };
        let status = || {
            let context = self.only().filter(|_| !self.known.unstashes && self.may_ask(1))?;
            WorkTree::find(&context.cwd)?.read("status", options).ok()
        };
        // The only records are the branch's. Before the first commit, git has no content.
        status().is_some_and(|output| {
            let mut records = output.stdout.split(|byte| *byte == 0);
            let is_pushed = |record: &[u8]| record.starts_with(b"# branch.ab +0 ");
            let is_clean =
                |record: &[u8]| is_kept(record) || record.starts_with(b"# ") && !record.ends_with(b" (initial)");
            output.status.success() && records.clone().all(is_clean) && (tree != Tree::Pushed || records.any(is_pushed))
        })
    }

    /// Returns `true` if git may have a branch of this name that is not the current one.
    pub(crate) fn is_other_branch(&self, name: &str) -> bool {
        let is_other = |context: &Context| -> io::Result<bool> {
            let Some(tree) = WorkTree::find(&context.cwd) else {
                return Ok(false);
            };
            if tree.branch()?.as_deref() == Some(name) {
                return Ok(false);
            }
            let name = format!("refs/heads/{name}");
            let found = tree.read("show-ref", ["--verify", "--quiet", "--end-of-options", &name])?;
            Ok(found.status.success())
        };
        self.contexts().any(|context| !self.may_ask(1) || is_other(context).unwrap_or(false))
    }

    /// Describes the work that is lost with deleted files: a tracked file with unstaged changes, a file that was never added,
    /// or a repository with work of its own.
    ///
    /// Files that git ignores, builds make, or this session made are left out, unless they are deleted with a folder
    /// that contains tracked files. A line that itself adds the files to git loses nothing. If git does not answer,
    /// nothing is reported.
    pub(crate) fn unsaved(&self, deleted: &[Changed]) -> Option<String> {
        if self.known.is_saved {
            return None;
        }
        let files: Vec<Files> = self
            .contexts()
            .flat_map(|context| deleted.iter().filter_map(|change| Files::of(change, context, self)))
            .collect();
        if files.is_empty() {
            return None;
        }
        if !self.may_ask(1) {
            return Some("too many files to look up in git".to_owned());
        }
        let known = &self.known;
        if let Some(file) = unsaved_of(known, &files).ok().flatten() {
            return Some(format!("`{}`, whose current content git does not have", file.escape_debug()));
        }
        let work = files
            .iter()
            .filter(|file| file.is_whole)
            .flat_map(|file| &file.paths)
            .filter(|path| !path.as_os_str().is_empty())
            .take(MOST)
            .find_map(|path| work_in(&known.project.join(path)))?;
        let (repository, what) = work;
        let name = repository.strip_prefix(&known.project).unwrap_or(&repository);
        Some(format!("`{}`, {what}", name.to_string_lossy().escape_debug()))
    }

    fn may_ask(&self, count: usize) -> bool {
        let asked = &self.known.asked;
        asked.set(asked.get() + count);
        asked.get() <= MOST
    }
}

/// Returns `true` for a record of `git status` that loses nothing: the file is already deleted.
fn is_kept(record: &[u8]) -> bool {
    record.is_empty() || record.starts_with(b"1 .D ")
}

/// Files of the project that a name may mean.
struct Files {
    /// A git pathspec, relative to the project.
    pattern: String,
    is_whole: bool,
    /// The existing files, relative to the project.
    paths: Vec<PathBuf>,
}

impl Files {
    /// Returns the files of a change; `None` if the name is not literal, does not exist, or is outside the project.
    fn of(change: &Changed, context: &Context, places: &Places) -> Option<Self> {
        let is_whole = change.use_of == Use::Whole;
        if let Some(name) = literal(&change.pieces) {
            context.absolute(name).symlink_metadata().ok()?;
            let path = places.in_project(context, Path::new(name))?;
            return Some(Self { pattern: escaped(path.to_str()?), is_whole, paths: vec![path] });
        }
        let (folder, names) = parted(&change.pieces);
        let folder = places.in_project(context, Path::new(&folder))?;
        let mut paths = vec![places.known.project.join(&folder)];
        let mut pattern = escaped(folder.to_str()?);
        for name in &names {
            paths = fitting(&paths, name);
            if !pattern.is_empty() {
                pattern.push('/');
            }
            for piece in name {
                match piece {
                    Piece::Text(known) if known == ".." => return None,
                    Piece::Text(known) => pattern.push_str(&escaped(known)),
                    Piece::Glob => pattern.push('*'),
                    Piece::Character => pattern.push('?'),
                    Piece::Braces | Piece::Unknown => return None,
                }
            }
        }
        let inner = paths.iter().filter_map(|path| path.strip_prefix(&places.known.project).ok());
        Some(Self { pattern, is_whole, paths: inner.map(Path::to_owned).collect() })
    }
}

/// Returns a git pathspec that matches only this name.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for char in name.chars() {
        match char {
            '\\' if cfg!(windows) => text.push('/'),
            '*' | '?' | '[' | '\\' => text.extend(['\\', char]),
            _ => text.push(char),
        }
    }
    text
}

impl Places {
    /// Returns `true` if git may be in a merge or a rebase, with resolved conflicts.
    pub(crate) fn may_be_resolving(&self) -> bool {
        const STATES: &str = "CHERRY_PICK_HEAD MERGE_HEAD REVERT_HEAD rebase-apply rebase-merge sequencer";
        let is_in = |folder: PathBuf| STATES.split(' ').any(|state| folder.join(state).exists());
        self.along.whole.is_lost
            || self.contexts().any(|context| {
                let mut folders = context.cwd.ancestors().map(|folder| folder.join(".git"));
                // In a linked worktree, `.git` is a file.
                folders.find(|folder| folder.exists()).is_none_or(|folder| !folder.is_dir() || is_in(folder))
            })
    }
}

/// Returns a file whose current content git does not have, relative to the root of the work tree.
fn unsaved_of(known: &Known, files: &[Files]) -> io::Result<Option<String>> {
    let project = &known.project;
    let Some(tree) = WorkTree::find(project) else {
        return Ok(None);
    };
    let project = project.canonicalize()?;
    let project = project.strip_prefix(tree.root()).unwrap_or(Path::new(""));
    let before = match project.to_str() {
        Some("") | None => String::new(),
        Some(folder) => format!("{}/", escaped(folder)),
    };
    let mut arguments: Vec<String> =
        ["-t", "-z", "--cached", "--modified", "--others", "--exclude-standard", "--"].map(str::to_owned).into();
    for file in files {
        let pattern = format!(":(glob){before}{}", file.pattern);
        arguments.extend(file.is_whole.then(|| format!("{pattern}/**")));
        arguments.push(pattern);
    }
    let output = tree.read("ls-files", arguments)?;
    let listed = output.stdout_text();
    let of_tag = |tag: &'static str| {
        listed
            .split('\0')
            .filter_map(|line| line.split_once(' '))
            .filter(move |(found, _)| *found == tag)
            .map(|(_, name)| name)
    };
    let changed = of_tag("C").find(|name| tree.root().join(name).symlink_metadata().is_ok());
    let is_in = |name: &str, folder: &Path| Path::new(name).starts_with(folder);
    let mut folders: Vec<PathBuf> =
        files.iter().filter(|file| file.is_whole).flat_map(|file| &file.paths).map(|path| project.join(path)).collect();
    folders.retain(|folder| of_tag("H").any(|name| is_in(name, folder)));
    let is_only_copy = |name: &&str| {
        // A nested repository is asked itself.
        let path = tree.root().join(name);
        !name.ends_with('/')
            && !path.is_symlink()
            && (folders.iter().any(|folder| is_in(name, folder))
                || !name.split('/').any(is_built) && !known.is_of_session(&path))
    };
    let mut new = of_tag("?").filter(is_only_copy);
    Ok(changed.or_else(|| new.next()).map(str::to_owned))
}

impl Known {
    /// Returns `true` for a file made since the session began.
    fn is_of_session(&self, file: &Path) -> bool {
        let made = file.symlink_metadata().and_then(|file| file.created());
        matches!((made, self.start), (Ok(made), Some(start)) if made >= start)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
