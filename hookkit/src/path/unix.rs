//! Resolves paths on Unix as the kernel does.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use super::{MAX_LINKS, Reader, Shown, add, is_home, trimmed};
use crate::Error;

/// The path rules of Unix.
pub(super) struct Unix;

impl Reader for Unix {
    fn absolute(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> PathBuf {
        absolute(path, cwd, home)
    }

    fn readings(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>), Error> {
        let absolute = absolute(path, cwd, home);
        let as_written = based(cwd).join(path);
        // `Path` comparison ignores `.`, `//` and a trailing slash, as the client and the kernel do.
        let is_other = as_written != absolute;
        Ok((absolute, is_other.then_some(as_written)))
    }

    fn folder(&self, folder: &Path) -> Result<PathBuf, Error> {
        Ok(based(folder).into_owned())
    }

    fn without_dots(&self, path: &Path) -> PathBuf {
        lexical(path.components())
    }

    fn follow(&self, path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
        follow(path, names)
    }
}

pub(super) fn absolute(path: &Path, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let path = trimmed(path);
    if let Some(home) = home
        && is_home(&path)
    {
        // Not `join`: after the `~` of `~//etc`, the rest is `/etc`.
        return lexical(home.components().chain(path.components().skip(1)));
    }
    lexical(based(cwd).join(path).components())
}

/// Joins components into a path, without `.` and `..`.
fn lexical<'p>(components: impl Iterator<Item = Component<'p>>) -> PathBuf {
    let mut path = PathBuf::from("/");
    for component in components {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                path.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    path
}

/// Makes a folder of the payload absolute. Only tests have relative folders.
fn based(folder: &Path) -> Cow<'_, Path> {
    if folder.is_absolute() {
        return Cow::Borrowed(folder);
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    Cow::Owned(here.join(folder))
}

/// Resolves an absolute path as the kernel does. Adds to `names` the path after each link, and the target.
///
/// `std::fs::canonicalize` does not work for missing files, and canonicalizing only the parent would miss a link to
/// one.
fn follow(path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
    let mut done = PathBuf::from("/");
    // The remaining names, the next one last.
    let mut ahead = Vec::new();
    push(path, &mut ahead);
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            done.pop();
            continue;
        }
        done.push(part);
        let target = match fs::read_link(&done) {
            Ok(target) => target,
            Err(err) if is_not_a_link(&err) => continue,
            Err(err) => return Err(Error::msg(format_args!("cannot follow `{}`: {err}", Shown(&done)))),
        };
        links += 1;
        if links > MAX_LINKS {
            return Err(Error::msg(format_args!("`{}` goes through too many symbolic links", Shown(path))));
        }
        done.pop();
        if target.is_absolute() {
            done = PathBuf::from("/");
        }
        push(&target, &mut ahead);
        let mut name = done.clone();
        name.extend(ahead.iter().rev());
        // A leading `..` goes up from a resolved folder, so it can be removed from the text.
        let is_plain = !ahead.iter().rev().skip_while(|part| *part == "..").any(|part| part == "..");
        add(if is_plain { lexical(name.components()) } else { name }, names);
    }
    add(done.clone(), names);
    Ok(done)
}

/// Puts the names of a path before the names that remain to be resolved.
fn push(path: &Path, ahead: &mut Vec<OsString>) {
    ahead.extend(path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    }));
}

/// Returns `true` if the error means that the path is not a link, or does not exist.
fn is_not_a_link(err: &std::io::Error) -> bool {
    matches!(err.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory)
}
