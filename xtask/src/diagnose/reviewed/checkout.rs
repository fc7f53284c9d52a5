//! Files of a checkout. A link is followed if its target is in the checkout, too, and never out of it.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::cargo::location;
use crate::disk::beneath::{Beneath, Stat};

/// The most bytes of a file, and of all files.
const MOST: u64 = 64 << 20;
const MOST_OF_ALL: u64 = 1 << 30;

/// The most links on the way to a file.
const LINKS: usize = 8;

/// A folder that sessions are started in, with what is below it.
pub(super) struct Checkout {
    root: Beneath,
    /// Untracked files and folders that git ignores: they are this machine's.
    ignored: BTreeSet<PathBuf>,
    /// The bytes that may still be read.
    left: Cell<u64>,
}

/// A file, a folder, or anything else at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Missing,
    Folder,
    File {
        is_program: bool,
        /// A link on the way leads to it.
        is_linked: bool,
    },
    /// A link on the way leads out of the checkout, or in a circle.
    Outside {
        link: PathBuf,
        target: PathBuf,
    },
    /// Neither a file nor a folder, or out of reach, for this reason.
    Odd(String),
}

/// A path without links.
struct Resolved {
    path: PathBuf,
    stat: Option<Stat>,
}

impl Checkout {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: Beneath::project(root),
            ignored: location::ignored(root).unwrap_or_default(),
            left: Cell::new(MOST_OF_ALL),
        }
    }

    /// Returns `true` if git has no part in a path: the file is of this machine, and does not come with the checkout.
    pub(super) fn is_ignored(&self, path: &Path) -> bool {
        let is_named = |path: &Path| path.ancestors().any(|path| self.ignored.contains(path));
        let resolved = self.resolve(path).ok().and_then(Result::ok);
        is_named(path) || resolved.is_some_and(|resolved| is_named(&resolved.path))
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
            Ok(Ok(Resolved { stat: None, .. })) => Kind::Missing,
            Ok(Ok(Resolved {
                stat: Some(stat),
                path: target,
            })) => match () {
                () if stat.is_folder() => Kind::Folder,
                () if stat.is_file() => Kind::File {
                    is_program: stat.mode & 0o111 != 0,
                    is_linked: target != plain(path),
                },
                () => Kind::Odd("it is not a regular file".to_owned()),
            },
        }
    }

    /// Reads a regular file.
    ///
    /// # Errors
    ///
    /// Fails if it is anything else, or too large.
    pub(super) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let Ok(resolved) = self.resolve(path)? else {
            return Err(ErrorKind::NotFound.into());
        };
        let most = MOST.min(self.left.get());
        let bytes = self.root.join(resolved.path).read_up_to(most).map_err(|err| {
            match err.kind() {
                // The message would name this machine's folder.
                ErrorKind::FileTooLarge => io::Error::other(format!("it has more than {} MiB", most >> 20)),
                _ => err,
            }
        })?;
        let bytes = bytes.ok_or(ErrorKind::NotFound)?;
        self.left.set(self.left.get().saturating_sub(bytes.len() as u64));
        Ok(bytes)
    }

    /// Returns the names in a folder, in order.
    ///
    /// # Errors
    ///
    /// Fails if it is not a folder of the checkout, or cannot be read.
    pub(super) fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let Ok(resolved) = self.resolve(path)? else {
            return Err(ErrorKind::NotFound.into());
        };
        let mut names = self.root.join(resolved.path).open()?.names()?;
        names.sort();
        Ok(names)
    }

    /// Follows the links on the way to a path, as long as they stay in the checkout.
    fn resolve(&self, path: &Path) -> io::Result<Result<Resolved, Kind>> {
        let mut left: VecDeque<OsString> = path.iter().map(OsString::from).collect();
        let (mut at, mut last) = (PathBuf::new(), (PathBuf::new(), PathBuf::new()));
        let mut links = 0;
        while let Some(name) = left.pop_front() {
            let is_outside = match &*name {
                name if name == ".." => !at.pop(),
                name => {
                    at.push(name);
                    false
                }
            };
            let beneath = self.root.join(&at);
            let stat = beneath.stat()?;
            if !is_outside && stat.as_ref().is_some_and(Stat::is_link) {
                last = (at.clone(), beneath.target()?);
                links += 1;
                at.pop();
                let target = last.1.components().filter(|component| *component != Component::CurDir);
                target
                    .rev()
                    .for_each(|component| left.push_front(component.as_os_str().to_owned()));
            } else if stat.as_ref().is_none_or(|stat| !stat.is_folder()) && !left.is_empty() {
                return Ok(Ok(Resolved { path: at, stat: None }));
            }
            if is_outside || links > LINKS || last.1.is_absolute() {
                let (link, target) = last;
                return Ok(Err(Kind::Outside { link, target }));
            }
        }
        let stat = self.root.join(&at).stat()?;
        Ok(Ok(Resolved { path: at, stat }))
    }
}

/// Returns a path without `.` and `..`, which are judged by the names alone.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            _ => {}
        }
    }
    plain
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
