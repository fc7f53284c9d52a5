//! Files of a checkout. Links are followed only to targets that also belong to the checkout.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::cargo::location;
use crate::disk::beneath::{Beneath, Stat};
use crate::disk::bounded::plain;

/// Maximum size of a file, and of all files together, in bytes.
const MOST: u64 = 64 << 20;
const MOST_OF_ALL: u64 = 1 << 30;

/// Maximum number of links in the path to a file.
const LINKS: usize = 8;

/// A folder in which sessions are started, and everything below it.
pub(super) struct Checkout {
    root: Beneath,
    /// Untracked files and folders that git ignores. They exist only on this machine.
    ignored: BTreeSet<PathBuf>,
    /// Number of bytes that may still be read.
    left: Cell<u64>,
}

/// A file, a folder, or anything else at a path.
#[derive(PartialEq)]
pub(super) enum Kind {
    Missing,
    Folder,
    File {
        is_program: bool,
        /// `true` if the path contains a link.
        is_linked: bool,
    },
    /// A link in the path leads out of the checkout, in a circle, or to a file that does not belong to the checkout
    /// because it is missing or ignored by git.
    Outside {
        link: PathBuf,
        target: PathBuf,
    },
    /// Neither a file nor a folder, or unreachable, with the reason.
    Odd(String),
}

/// A path without links, and its metadata if it exists.
type Resolved = (PathBuf, Option<Stat>);

impl Checkout {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: Beneath::project(root),
            ignored: location::ignored(root).unwrap_or_default(),
            left: Cell::new(MOST_OF_ALL),
        }
    }

    /// Returns `true` if git ignores a path: the file exists only on this machine and does not belong to the checkout.
    pub(super) fn is_ignored(&self, path: &Path) -> bool {
        let is_named = |path: &Path| path.ancestors().any(|path| self.ignored.contains(path));
        let resolved = self.resolve(path).ok().and_then(Result::ok);
        is_named(path) || resolved.is_some_and(|(resolved, _)| is_named(&resolved))
    }

    /// Returns `true` if a path is a folder of the checkout, and not a link to one.
    pub(super) fn is_folder(&self, path: &Path) -> bool {
        let found = self.root.join(path).stat().ok().flatten();
        found.is_some_and(|found| found.is_folder()) && !self.ignored.contains(path)
    }

    pub(super) fn kind(&self, path: &Path) -> Kind {
        match self.resolve(path) {
            Err(err) => Kind::Odd(err.to_string()),
            Ok(Err(outside)) => outside,
            Ok(Ok((target, stat))) => match stat {
                None => Kind::Missing,
                Some(stat) if stat.is_folder() => Kind::Folder,
                Some(stat) if stat.is_file() => {
                    Kind::File { is_program: stat.is_program(), is_linked: target != plain(path) }
                }
                Some(_) => Kind::Odd("it is not a regular file".to_owned()),
            },
        }
    }

    /// Reads a regular file.
    ///
    /// # Errors
    ///
    /// Fails if it is anything else, or too large.
    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let most = MOST.min(self.left.get());
        let bytes = self.beneath(path)?.read_up_to(most).map_err(|err| {
            match err.kind() {
                // The message would contain this machine's folder.
                ErrorKind::FileTooLarge => io::Error::other(format!("it has more than {} MiB", most >> 20)),
                _ => err,
            }
        })?;
        let bytes = bytes.ok_or(ErrorKind::NotFound)?;
        self.left.set(self.left.get().saturating_sub(bytes.len() as u64));
        Ok(bytes)
    }

    /// Returns the link-free path to a part of the checkout.
    fn beneath(&self, path: &Path) -> io::Result<Beneath> {
        let (resolved, _) = self.resolve(path)?.map_err(|_| ErrorKind::NotFound)?;
        Ok(self.root.join(resolved))
    }

    /// Returns the names in a folder, sorted.
    ///
    /// # Errors
    ///
    /// Fails if it is not a folder of the checkout, or cannot be read.
    pub(super) fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let mut names = self.beneath(path)?.open()?.names()?;
        names.sort();
        Ok(names)
    }

    /// Returns a path relative to the checkout. The given path may be absolute.
    pub(super) fn within(&self, path: &Path) -> Option<PathBuf> {
        let within = if path.is_absolute() { path.strip_prefix(self.root.path()).ok()? } else { path };
        Some(within.to_owned())
    }

    /// Returns a path without `..`. A `..` after a link leads out of the link's target.
    pub(super) fn straight(&self, path: &Path) -> PathBuf {
        let names: Vec<_> = path.iter().collect();
        let Some(up) = names.iter().rposition(|name| *name == "..") else {
            return plain(path);
        };
        let (before, after) = names.split_at(up + 1);
        match self.resolve(&before.iter().collect::<PathBuf>()) {
            Ok(Ok((found, _))) => found.join(after.iter().collect::<PathBuf>()),
            _ => plain(path),
        }
    }

    /// Follows the links in a path while they stay in the checkout.
    fn resolve(&self, path: &Path) -> io::Result<Result<Resolved, Kind>> {
        // If no name in the path is a link, a single lookup is enough.
        if path.components().all(|name| matches!(name, Component::Normal(_)))
            && let Ok(Some(stat)) = self.root.join(path).stat()
            && !stat.is_link()
        {
            return Ok(Ok((path.components().collect(), Some(stat))));
        }
        let mut left: VecDeque<OsString> = path.iter().map(OsString::from).collect();
        let mut at = PathBuf::new();
        // Links that are still being followed, each with the number of names after it.
        let mut links: Vec<(usize, PathBuf, PathBuf)> = Vec::new();
        let mut count = 0;
        while let Some(name) = left.pop_front() {
            links.retain(|(following, ..)| *following <= left.len());
            let is_outside = name == ".." && !at.pop();
            if name != ".." {
                at.push(name);
            }
            let beneath = self.root.join(&at);
            let stat = beneath.stat()?;
            let is_ignored = !links.is_empty() && self.ignored.contains(&at);
            let is_end = match stat.filter(|_| !is_outside && !is_ignored) {
                None => true,
                Some(stat) if stat.is_link() => {
                    let target = beneath.target()?;
                    links.push((left.len(), at.clone(), target.clone()));
                    count += 1;
                    at.pop();
                    let names = target.components().filter(|name| *name != Component::CurDir);
                    names.rev().for_each(|name| left.push_front(name.as_os_str().to_owned()));
                    count > LINKS || target.is_absolute()
                }
                Some(stat) if !stat.is_folder() && !left.is_empty() => {
                    links.retain(|(following, ..)| *following < left.len());
                    true
                }
                Some(_) => false,
            };
            if is_end {
                return Ok(match links.pop() {
                    Some((_, link, target)) => Err(Kind::Outside { link, target }),
                    None => Ok((at, None)),
                });
            }
        }
        let stat = self.root.join(&at).stat()?;
        Ok(Ok((at, stat)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_followed_within_the_checkout_alone() -> io::Result<()> {
        let lines = test_support::lines!("lines/reviewed-links.txt");
        let folder = test_support::folder();
        lines.section("links").write(folder.path(), "");
        let checkout = Checkout::new(&folder.path().join("root"));
        lines.check_section("links", |path| {
            let (kind, read) = (checkout.kind(Path::new(path)), checkout.read(Path::new(path)));
            let shown = match kind {
                Kind::File { is_program: false, .. } if read.as_deref().is_ok_and(|read| read == b"x") => "file",
                Kind::Outside { .. } if read.is_err() => "outside",
                Kind::Missing => "missing",
                Kind::Folder => "folder",
                _ => "another",
            };
            shown.to_owned()
        });
        assert_eq!(checkout.names(Path::new("folder"))?, ["b", "file"]);
        Ok(())
    }
}
