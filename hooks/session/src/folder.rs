//! Folders and files for what a session leaves.
//!
//! A checkout can bring links and files at the places where these are, and what is written there holds secrets. So no link
//! is followed below the project.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fchmod, fstat, mkdirat, open as open_path, openat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a folder by its path from a base, and makes what is missing below that.
///
/// A folder that is made is for the user alone, with a `.gitignore` that keeps it out of a repository. One that is there
/// stays as it is.
///
/// # Errors
///
/// When a folder below the base is a link, or anything else than a folder; and when it cannot be opened or made.
pub(crate) fn open(base: &Path, below: &Path) -> io::Result<OwnedFd> {
    let mut folder = open_path(base, FOLDER, Mode::empty())?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        folder = step(&folder, name, names.peek().is_none())?;
    }
    Ok(folder)
}

fn step(parent: &OwnedFd, name: &OsStr, is_last: bool) -> io::Result<OwnedFd> {
    let open = || openat(parent, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
    let denied = |err: Errno| {
        let is_link = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        let why = if is_link {
            LINK.to_owned()
        } else {
            io::Error::from(err).to_string()
        };
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

const LINK: &str = "it is a link, which might lead anywhere; remove it";

/// Makes a file for the user alone.
///
/// # Errors
///
/// When there is one, and when it cannot be made.
pub(crate) fn create(folder: impl AsFd, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into())
}

/// Opens a file to read it, and to write at its end; makes it if it is missing. From then on it is for the user alone.
///
/// # Errors
///
/// When it is a link, is not a regular file, has a second name, or belongs to another user; and when it cannot be opened.
pub(crate) fn append(folder: impl AsFd, name: &str) -> io::Result<File> {
    // A pipe would be waited for.
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
