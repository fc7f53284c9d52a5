//! Files that git has as they are, and those that it cannot bring back.

use std::io;
use std::path::{Path, PathBuf};

use hookkit::git::WorkTree;
use hookkit::{Context, Error};

use super::Places;
use crate::effects::changes::Use;
use crate::words::{Piece, parted};

/// Files of a line that git is asked about. Each name may be a run of git.
const MOST: usize = 20;

impl Places {
    /// Returns `true` if git has all of these files, as they are now.
    ///
    /// If git cannot be asked, or it is not certain in which folder, they may not be.
    pub(in crate::destructive) fn are_committed(&self, names: &[&str]) -> bool {
        let Some(context) = self.only().filter(|_| self.may_ask(names.len())) else {
            return false;
        };
        let committed = || -> io::Result<bool> {
            let Some(tree) = WorkTree::around(&context.cwd)? else {
                return Ok(false);
            };
            let status = tree.status()?;
            let paths = names.iter().map(|name| Ok(context.path(name)?.resolved));
            let paths: Vec<PathBuf> = paths.collect::<Result<_, Error>>().map_err(io::Error::other)?;
            let is_changed = |path: &PathBuf| {
                let mut changes = status.changes.iter();
                changes.any(|change| tree.root().join(&change.path).starts_with(path))
            };
            let mut are_saved = !status.is_cut_off && !paths.iter().any(is_changed);
            for path in &paths {
                are_saved = are_saved && tree.is_tracked(path)?;
            }
            Ok(are_saved)
        };
        committed().unwrap_or(false)
    }

    /// Returns `true` if there is a branch of this name that is not the current one, as far as git can be asked.
    pub(in crate::destructive) fn is_other_branch(&self, name: &str) -> bool {
        let is_other = |context: &Context| -> io::Result<bool> {
            let Some(tree) = WorkTree::around(&context.cwd)? else {
                return Ok(false);
            };
            let name = format!("refs/heads/{name}");
            let found = tree.read("show-ref", ["--verify", "--quiet", "--end-of-options", &name])?;
            let current = tree.read("rev-parse", ["--symbolic-full-name", "HEAD"])?;
            Ok(found.status.success() && current.stdout_text().trim() != name)
        };
        let mut contexts = self.folders.contexts.iter();
        contexts.any(|context| !self.may_ask(1) || is_other(context).unwrap_or(false))
    }

    /// Returns files of the project with changes that git does not have, among those that are deleted: a tracked one that was
    /// changed since it was last added, or one that was never added, in a folder of which git has others.
    ///
    /// A folder that git does not have at all is left out: programs make it, or it was made in the session. So is all of a line
    /// that gives files to git itself. Where git cannot be asked, there are none.
    pub(in crate::destructive) fn unsaved(&self, deleted: &[(Use, Vec<Piece>)]) -> Option<String> {
        if self.known.is_saved {
            return None;
        }
        let mut files = Vec::new();
        for context in &self.folders.contexts {
            let found = deleted.iter().filter_map(|(use_of, name)| {
                let is_whole = *use_of == Use::Whole;
                Files::of(name, is_whole, context, &self.known.project)
            });
            files.extend(found);
        }
        if files.is_empty() {
            return None;
        }
        if !self.may_ask(1) {
            return Some("more files than git is asked about".to_owned());
        }
        let file = unsaved_of(&self.known.project, &files).ok().flatten()?;
        Some(format!("`{}`, which git does not have as it is", file.escape_debug()))
    }

    fn may_ask(&self, count: usize) -> bool {
        let asked = &self.known.asked;
        asked.set(asked.get() + count);
        asked.get() <= MOST
    }
}

/// Files of the project that a name may mean.
struct Files {
    /// A pattern of git's, from the project.
    pattern: String,
    is_whole: bool,
    /// The path from the project, if it is known.
    path: Option<PathBuf>,
}

impl Files {
    /// Returns `None` for a name that is only known when it runs, and for what is not there, or not in the project.
    fn of(name: &[Piece], is_whole: bool, context: &Context, project: &Path) -> Option<Self> {
        if let [Piece::Text(name)] = name {
            let path = context.absolute(name);
            path.symlink_metadata().ok()?;
            let path = path.strip_prefix(project).ok()?;
            return Some(Self {
                pattern: escaped(path.to_str()?),
                is_whole,
                path: Some(path.to_owned()),
            });
        }
        let (folder, names) = parted(name);
        let folder = context.absolute(&folder);
        let folder = folder.strip_prefix(project).ok()?;
        let mut pattern = escaped(folder.to_str()?);
        for name in &names {
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
        Some(Self {
            pattern,
            is_whole,
            // All that is in it, as the folder itself.
            path: matches!(&names[..], [name] if name == &[Piece::Glob]).then(|| folder.to_owned()),
        })
    }
}

/// Returns a name as a pattern of git's that only this name fits.
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
    /// Returns `true` if git may be in the middle of a merge or a rebase, in which conflicts were resolved.
    pub(in crate::destructive) fn may_be_resolving(&self) -> bool {
        const STATES: &[&str] = &[
            "CHERRY_PICK_HEAD", "MERGE_HEAD", "REVERT_HEAD", "rebase-apply", "rebase-merge", "sequencer",
        ];
        let is_in = |folder: PathBuf| STATES.iter().any(|state| folder.join(state).exists());
        let mut contexts = self.folders.contexts.iter();
        self.folders.is_lost
            || contexts.any(|context| {
                let mut folders = context.cwd.ancestors().map(|folder| folder.join(".git"));
                // Of another worktree it is a file.
                folders
                    .find(|folder| folder.exists())
                    .is_none_or(|folder| !folder.is_dir() || is_in(folder))
            })
    }
}

/// Returns one of the files that git does not have as it is, by its path from the root of the work tree.
fn unsaved_of(project: &Path, files: &[Files]) -> io::Result<Option<String>> {
    let Some(tree) = WorkTree::around(project)? else {
        return Ok(None);
    };
    let project = project.canonicalize()?;
    let project = project.strip_prefix(tree.root()).unwrap_or(Path::new(""));
    let before = match project.to_str() {
        Some("") | None => String::new(),
        Some(folder) => format!("{}/", escaped(folder)),
    };
    let mut arguments: Vec<String> = [
        "-t", "-z", "--cached", "--modified", "--others", "--exclude-standard", "--",
    ]
    .map(str::to_owned)
    .into();
    for file in files {
        let pattern = format!(":(glob){before}{}", file.pattern);
        arguments.extend(file.is_whole.then(|| format!("{pattern}/**")));
        arguments.push(pattern);
    }
    let output = tree.read("ls-files", arguments)?;
    let listed = output.stdout_text();
    let of_tag = |tag: &'static str| {
        let lines = listed.split('\0').filter_map(|line| line.split_once(' '));
        lines.filter(move |(found, _)| *found == tag).map(|(_, name)| name)
    };
    let is_there = |name: &&str| tree.root().join(name).symlink_metadata().is_ok();
    let changed = of_tag("C").find(is_there);
    let is_in = |name: &str, folder: &Path| Path::new(name).starts_with(folder);
    let folders = files
        .iter()
        .filter(|file| file.is_whole)
        .filter_map(|file| file.path.as_ref());
    let mut folders: Vec<PathBuf> = folders.map(|path| project.join(path)).collect();
    folders.retain(|folder| of_tag("H").any(|name| is_in(name, folder)));
    let mut new = of_tag("?").filter(|name| folders.iter().any(|folder| is_in(name, folder)));
    Ok(changed.or_else(|| new.next()).map(str::to_owned))
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
