//! Resolves paths on Windows, where a path is text with a drive: `C:/folder/file`.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::{MAX_LINKS, Reader, Shown, add, trimmed};
use crate::Error;

/// Start of a path that marks an error, for functions that cannot return errors. No name contains the character `?`.
const UNREADABLE: &str = "?/";

/// The path rules of Windows, applied to a disk.
pub(super) struct Windows<D>(pub(super) D);

/// File lookups that need a disk. Their paths have a drive, and `/` between names.
pub(super) trait Disk {
    /// Returns the entry at a path, without following a link there.
    fn entry(&self, path: &str) -> io::Result<Entry>;

    /// Returns the path of an existing file as the system writes it: with long names, and their case.
    fn real(&self, path: &str) -> io::Result<Option<String>>;

    /// Returns the names in a folder.
    fn names(&self, folder: &str) -> io::Result<Vec<String>>;
}

/// The entry at a path.
pub(super) enum Entry {
    Missing,
    /// A file or a folder.
    Plain,
    /// A symbolic link or a junction, with its target.
    Link(String),
}

impl<D: Disk> Reader for Windows<D> {
    fn absolute(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> PathBuf {
        let path = trimmed(path);
        let is_unknown_home = home.is_none() && path.to_str().is_some_and(is_home);
        let read = read(&path, &path, cwd, home).ok().filter(|_| !is_unknown_home);
        let Some(read) = read else {
            // No valid path, and not absolute, even as the folder of another path.
            let mut text = OsString::from(UNREADABLE);
            if !is_unknown_home && path.to_str().map(Names::parse).is_none_or(|names| names.is_ok()) {
                text.push(cwd);
                text.push("/");
            }
            text.push(path.as_ref());
            return text.into();
        };
        read.without_dots().path()
    }

    fn readings(&self, path: &Path, cwd: &Path, home: Option<&Path>) -> Result<(PathBuf, Option<PathBuf>), Error> {
        let absolute = read(path, &trimmed(path), cwd, home)?.without_dots();
        // Windows drops trailing blanks, and no name has the other characters.
        let text = path.to_str().unwrap_or_default();
        let text = text.trim_end_matches(|c: char| c.is_ascii_whitespace());
        let as_written = read(path, text.as_ref(), cwd, None)?;
        let is_other = as_written != absolute;
        Ok((absolute.path(), is_other.then(|| as_written.path())))
    }

    fn folder(&self, folder: &Path) -> Result<PathBuf, Error> {
        Ok(based(folder)?.path())
    }

    fn without_dots(&self, path: &Path) -> PathBuf {
        match path.to_str().map(Names::parse) {
            Some(Ok(names)) => names.without_dots().path(),
            _ => path.to_owned(),
        }
    }

    fn follow(&self, path: &Path, names: &mut Vec<PathBuf>) -> Result<PathBuf, Error> {
        let Names { drive, names: parts } = parsed(path)?;
        let mut done = Names { drive, names: Vec::new() };
        // The remaining names, the next one last.
        let mut ahead: Vec<String> = parts.into_iter().rev().collect();
        let mut links = 0;
        while let Some(part) = ahead.pop() {
            if part == ".." {
                done.names.pop();
                continue;
            }
            done.names.push(part);
            let target = match self.0.entry(&done.text()) {
                Ok(Entry::Missing | Entry::Plain) => continue,
                Ok(Entry::Link(target)) => target,
                Err(err) => return Err(cannot_follow(&done, err)),
            };
            links += 1;
            if links > MAX_LINKS {
                return Err(Error::msg(format_args!("`{}` goes through too many links", Shown(path))));
            }
            let link = done.text();
            let name = done.names.pop().unwrap_or_default();
            done = self.real(&done)?;
            let rest = || ahead.iter().rev().cloned();
            let own = done.joined([self.listed(&done, &name)?].into_iter().chain(rest()));
            add(own.without_dots().path(), names);
            let target = Names::parse(without_prefix(&target)).map_err(|why| {
                Error::msg(format_args!(
                    "cannot follow `{}` to `{}`, which {why}",
                    Shown(link.as_ref()),
                    Shown(target.as_ref())
                ))
            })?;
            if target.drive.is_some() {
                done = Names { drive: target.drive, names: Vec::new() };
            } else if links > 1 && target.names.iter().any(|name| name == "..") {
                return Err(cannot_follow(&done, "a link with `..` after another link can lead to two places"));
            }
            add(done.joined(target.names.iter().cloned().chain(rest())).without_dots().path(), names);
            ahead.extend(target.names.into_iter().rev());
        }
        let done = self.real(&done)?.path();
        add(done.clone(), names);
        Ok(done)
    }
}

impl<D: Disk> Windows<D> {
    /// Returns a path without links as the system writes it. Names that do not exist stay as they are.
    fn real(&self, path: &Names) -> Result<Names, Error> {
        for count in (0..=path.names.len()).rev() {
            let (there, missing) = path.names.split_at(count);
            let there = Names { drive: path.drive, names: there.to_vec() };
            let real = self.0.real(&there.text()).map_err(|err| cannot_follow(&there, err))?;
            let Some(real) = real else { continue };
            return match Names::parse(without_prefix(&real)) {
                Ok(real) if real.drive.is_some() => Ok(real.joined(missing.iter().cloned())),
                Ok(_) => Err(cannot_follow(&there, "it has no drive")),
                Err(why) => Err(cannot_follow(
                    &there,
                    format_args!("the system calls it `{}`, which {why}", Shown(real.as_ref())),
                )),
            };
        }
        Ok(path.clone())
    }

    /// Returns the name of a link as its folder lists it. With a short name (`LINK~1`), its other names cannot be
    /// found.
    fn listed(&self, folder: &Names, name: &str) -> Result<String, Error> {
        let listed = self.0.names(&folder.text()).map_err(|err| cannot_follow(folder, err))?;
        let is_same = |listed: &&String| super::folded(listed).eq(super::folded(name));
        listed.iter().find(is_same).cloned().ok_or_else(|| {
            cannot_follow(&folder.joined([name.to_owned()]), "it is a short name of a link: write the long one")
        })
    }
}

fn cannot_follow(path: &Names, why: impl std::fmt::Display) -> Error {
    Error::msg(format_args!("cannot follow `{}`: {why}", Shown(&path.path())))
}

/// The names of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Names {
    /// The drive's letter, in upper case; `None` if the path is relative.
    drive: Option<char>,
    names: Vec<String>,
}

impl Names {
    /// Parses a path. The error is the end of a sentence about the path.
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text.starts_with(UNREADABLE) {
            return Err("is a path that can be read in several ways: use a path such as `C:/a`");
        }
        let is_slash = |c: char| matches!(c, '/' | '\\');
        let (drive, rest) = match *text.as_bytes() {
            [letter, b':', ..] if letter.is_ascii_alphabetic() => (Some(char::from(letter)), &text[2..]),
            _ => (None, text),
        };
        let begins_with_slash = rest.starts_with(is_slash);
        match drive {
            Some(_) if !begins_with_slash => {
                return Err("depends on the current folder of a drive: write it as `C:/a`");
            }
            None if begins_with_slash && rest[1..].starts_with(is_slash) => {
                return Err("is on another computer, or has a special form (`\\\\?\\`): write it as `C:/a`");
            }
            None if begins_with_slash => return Err("has no drive: write it as `C:/a`"),
            _ => {}
        }
        let names = rest.split(is_slash).filter(|name| !matches!(*name, "" | "."));
        let names = names.map(|name| match fault(name) {
            None => Ok(name.to_owned()),
            Some(fault) => Err(fault),
        });
        Ok(Self { drive: drive.map(|letter| letter.to_ascii_uppercase()), names: names.collect::<Result<_, _>>()? })
    }

    fn joined(&self, names: impl IntoIterator<Item = String>) -> Self {
        let mut joined = self.clone();
        joined.names.extend(names);
        joined
    }

    fn without_dots(self) -> Self {
        let mut names: Vec<String> = Vec::new();
        for name in self.names {
            if name == ".." {
                names.pop();
            } else {
                names.push(name);
            }
        }
        Self { names, ..self }
    }

    fn text(&self) -> String {
        let drive = self.drive.map(|letter| format!("{letter}:/"));
        drive.unwrap_or_default() + &self.names.join("/")
    }

    fn path(&self) -> PathBuf {
        self.text().into()
    }
}

/// Names of devices, with any extension and in any folder.
const DEVICES: &[&str] = &["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"];

/// Names of devices that have a digit after them.
const PORTS: &[&str] = &["COM", "LPT"];

/// Returns the reason why a name may mean something other than a file with this name.
fn fault(name: &str) -> Option<&'static str> {
    let is_invalid = |c: char| c.is_control() && c.is_ascii() || "<>\"|?*".contains(c);
    if name == ".." {
        return None;
    }
    if name.contains(':') {
        return Some("has a `:` in a name, which can refer to a stream of the file: leave it out");
    }
    if name.contains(is_invalid) {
        return Some("has a character that is invalid in Windows file names");
    }
    if name.ends_with(['.', ' ']) {
        return Some("has a name that ends with a dot or a blank, which Windows drops: leave it out");
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ');
    let stem = stem.to_uppercase();
    let is_port = |port: &str| {
        let number = stem.strip_prefix(port).unwrap_or_default();
        number.chars().count() == 1 && number.contains(|c: char| c.is_ascii_digit() || "\u{b9}\u{b2}\u{b3}".contains(c))
    };
    (DEVICES.contains(&stem.as_str()) || PORTS.iter().any(|port| is_port(port)))
        .then_some("has a name that Windows reserves for a device")
}

/// Removes the prefix that keeps the system from changing a path (`\\?\`).
fn without_prefix(path: &str) -> &str {
    let rest = path.strip_prefix(r"\\?\").or_else(|| path.strip_prefix(r"\??\"));
    let has_drive = |rest: &&str| matches!(rest.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    rest.filter(has_drive).unwrap_or(path)
}

fn parsed(path: &Path) -> Result<Names, Error> {
    let names = match path.to_str() {
        Some(text) => Names::parse(text),
        None => Err("is not valid Unicode"),
    };
    names.map_err(|why| Error::msg(format_args!("`{}` {why}", Shown(path))))
}

/// Returns `true` if a path begins with the home folder.
fn is_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}

/// Reads the text of a path. If there is a home folder, it replaces a leading `~`.
fn read(path: &Path, text: &Path, cwd: &Path, home: Option<&Path>) -> Result<Names, Error> {
    let read = match text.to_str() {
        Some(text) => Names::parse(text),
        None => Err("is not valid Unicode"),
    };
    let read = read.map_err(|why| Error::msg(format_args!("`{}` {why}", Shown(path))))?;
    if read.drive.is_some() {
        return Ok(read);
    }
    match home.filter(|_| text.to_str().is_some_and(is_home)) {
        Some(home) => Ok(based(home)?.joined(read.names.into_iter().skip(1))),
        None => Ok(based(cwd)?.joined(read.names)),
    }
}

/// Reads a folder of the payload. Only tests have relative folders.
fn based(folder: &Path) -> Result<Names, Error> {
    let read = parsed(folder)?;
    if read.drive.is_some() {
        return Ok(read);
    }
    let here = env::current_dir()?;
    let here: Cow<'_, Path> = match here.to_str() {
        Some(text) => Cow::Owned(without_prefix(text).into()),
        None => Cow::Borrowed(&here),
    };
    Ok(parsed(&here)?.joined(read.names))
}

/// Returns the home folder; `None` if the variables differ. The client takes it from `USERPROFILE`, Git Bash from
/// `HOME`.
pub(super) fn home(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from);
    let profile = folder("USERPROFILE")?;
    let names = |folder: &Path| {
        let names = parsed(folder).ok().filter(|names| names.drive.is_some())?;
        Some(super::folded(&names.without_dots().text()).collect::<String>())
    };
    let own = names(&profile)?;
    match folder("HOME").filter(|home| !home.as_os_str().is_empty()) {
        Some(home) if names(&home)? != own => None,
        _ => Some(profile),
    }
}

/// The disk of this computer.
#[cfg(windows)]
pub(super) struct Computer;

#[cfg(windows)]
impl Disk for Computer {
    fn entry(&self, path: &str) -> io::Result<Entry> {
        match std::fs::symlink_metadata(path) {
            Ok(found) if found.file_type().is_symlink() => Ok(Entry::Link(text(std::fs::read_link(path)?)?)),
            Ok(_) => Ok(Entry::Plain),
            Err(err) if is_missing(&err) => Ok(Entry::Missing),
            Err(err) => Err(err),
        }
    }

    fn real(&self, path: &str) -> io::Result<Option<String>> {
        match std::fs::canonicalize(path) {
            Ok(path) => text(path).map(Some),
            Err(err) if is_missing(&err) => Ok(None),
            Err(err) => Err(err),
        }
    }

    fn names(&self, folder: &str) -> io::Result<Vec<String>> {
        let names = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }
}

#[cfg(windows)]
fn is_missing(err: &io::Error) -> bool {
    matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(windows)]
fn text(path: PathBuf) -> io::Result<String> {
    let text = path.into_os_string().into_string();
    text.map_err(|_| io::Error::other("it is not valid Unicode"))
}

#[cfg(test)]
mod tests;
