//! Opens folders and files on Unix, each folder from the one before it.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, fchmod, fstat, mkdirat, open as open_path, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::LINK;
use crate::prelude::*;

/// An open folder.
pub(crate) type Folder = OwnedFd;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a folder by its path from a base, and creates the missing folders below the base.
///
/// Only the user can access a new folder, and its `.gitignore` keeps it out of a repository. An existing folder does
/// not change.
///
/// # Errors
///
/// Fails if a folder below the base is a link or not a folder, or if it cannot be opened or created.
pub(crate) fn open(base: &Path, below: &Path) -> io::Result<Folder> {
    let mut folder = open_path(base, FOLDER, Mode::empty())?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        folder = step(&folder, name, names.peek().is_none())?;
    }
    Ok(folder)
}

fn step(parent: &Folder, name: &OsStr, is_last: bool) -> io::Result<Folder> {
    let open = || openat(parent, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    let denied = |err: Errno| {
        let is_link = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        let why = if is_link { LINK.to_owned() } else { io::Error::from(err).to_string() };
        io::Error::new(io::Error::from(err).kind(), format!("`{}`: {why}", name.display()))
    };
    match open() {
        Err(Errno::NOENT) => {}
        opened => return opened.map_err(denied),
    }
    let mode = Mode::from_raw_mode(if is_last { 0o700 } else { 0o777 });
    match mkdirat(parent, name, mode) {
        // Another hook was faster.
        Err(Errno::EXIST) => return open().map_err(denied),
        made => made.map_err(denied)?,
    }
    let folder = open().map_err(denied)?;
    if is_last {
        // Before anything is in it, so that no `git add` finds one without the other.
        create(&folder, ".gitignore")?.write_all(b"*\n")?;
    }
    Ok(folder)
}

/// Creates a file that only the user can access.
///
/// # Errors
///
/// Fails if the file exists, or cannot be created.
pub(crate) fn create(folder: &Folder, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Opens a file for reading and appending, and creates it if it is missing. Afterwards, only the user can access it.
///
/// # Errors
///
/// Fails if the file is a link, is not regular, has a second hard link or belongs to another user, or if it cannot be
/// opened.
pub(crate) fn append(folder: &Folder, name: &str) -> io::Result<File> {
    // Opening a pipe would block.
    let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::RUSR | Mode::WUSR) {
        Err(Errno::LOOP) => return Err(io::Error::other(LINK)),
        opened => opened?,
    };
    let stat = fstat(&file)?;
    let fault = if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        Some("is not a regular file")
    } else if stat.st_nlink > 1 {
        Some("is a hard link, which has another name elsewhere")
    } else if stat.st_uid != geteuid().as_raw() {
        Some("belongs to another user")
    } else {
        None
    };
    if let Some(fault) = fault {
        return Err(io::Error::other(format!("it {fault}; remove it")));
    }
    if Mode::from_raw_mode(stat.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
        fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    }
    Ok(file.into())
}

/// Returns the last byte of a file of this length.
pub(crate) fn last_byte(file: &File, length: u64) -> io::Result<u8> {
    let mut last = [0];
    file.read_exact_at(&mut last, length - 1)?;
    Ok(last[0])
}

/// Renames a file in a folder.
pub(crate) fn rename(folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    Ok(renameat(folder, from, folder, to)?)
}

/// Removes a file in a folder. A missing file is not an error.
pub(crate) fn remove(folder: &Folder, name: &str) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Err(err) if err != Errno::NOENT => Err(err.into()),
        _ => Ok(()),
    }
}

/// Calls a function with the name of each file in a folder, until it fails.
pub(crate) fn for_each_name(folder: &Folder, mut call: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    for file in Dir::read_from(folder)? {
        if let Ok(name) = file?.file_name().to_str() {
            call(name)?;
        }
    }
    Ok(())
}

/// Returns the time at which a file was changed last, since 1970.
pub(crate) fn modified(folder: &Folder, name: &str) -> Option<Duration> {
    let modified = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?.st_mtime;
    Some(Duration::from_secs(modified.try_into().ok()?))
}
