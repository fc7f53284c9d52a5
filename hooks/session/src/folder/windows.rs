//! Windows: each path is checked before it is opened.
//!
//! Files and folders have the rights of the folder that they are in: the user's own, where the project is in the user's
//! profile.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::LINK;

/// The path of a folder that is not a link, and in none below its base.
pub(crate) type Folder = PathBuf;

/// Checks a folder by its path from a base, and makes what is missing below that.
///
/// The last folder gets a `.gitignore` that keeps it out of a repository, if it is made. One that is there stays as it is.
///
/// # Errors
///
/// When a folder below the base is a link, or anything else than a folder; and when it cannot be made.
pub(crate) fn open(base: &Path, below: &Path) -> io::Result<Folder> {
    let mut folder = base.to_owned();
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        folder.push(name);
        step(&folder, names.peek().is_none())
            .map_err(|err| io::Error::new(err.kind(), format!("`{}`: {err}", name.display())))?;
    }
    Ok(folder)
}

fn step(folder: &Path, is_last: bool) -> io::Result<()> {
    let is_made = match fs::create_dir(folder) {
        Ok(()) => true,
        Err(err) if err.kind() == ErrorKind::AlreadyExists => false,
        Err(err) => return Err(err),
    };
    let kind = fs::symlink_metadata(folder)?.file_type();
    if kind.is_symlink() {
        return Err(io::Error::other(LINK));
    }
    if !kind.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    if is_made && is_last {
        create(&folder.to_owned(), ".gitignore")?.write_all(b"*\n")?;
    }
    Ok(())
}

/// Makes a file.
///
/// # Errors
///
/// When there is one, and when it cannot be made.
pub(crate) fn create(folder: &Folder, name: &str) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(folder.join(name))
}

/// Opens a file to read it, and to write at its end; makes it if it is missing.
///
/// # Errors
///
/// When it is a link, or is not a regular file; and when it cannot be opened.
pub(crate) fn append(folder: &Folder, name: &str) -> io::Result<File> {
    /// The link itself is opened, not its target.
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT)
        .open(folder.join(name))?;
    let kind = file.metadata()?.file_type();
    if kind.is_symlink() {
        return Err(io::Error::other(LINK));
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is not a regular file; remove it"));
    }
    Ok(file)
}

/// Returns the last byte of a file that is so long. The next write is after it.
pub(crate) fn last_byte(file: &File, length: u64) -> io::Result<u8> {
    let mut last = [0];
    match file.seek_read(&mut last, length - 1)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(last[0]),
    }
}

/// Gives a file of a folder another name.
pub(crate) fn rename(folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    fs::rename(folder.join(from), folder.join(to))
}

/// Removes a file of a folder; it is not an error if there is none.
pub(crate) fn remove(folder: &Folder, name: &str) -> io::Result<()> {
    match fs::remove_file(folder.join(name)) {
        Err(err) if err.kind() != ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

/// Calls a function with the name of each file in a folder, until it fails.
pub(crate) fn for_each_name(folder: &Folder, mut call: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    for file in fs::read_dir(folder)? {
        if let Some(name) = file?.file_name().to_str() {
            call(name)?;
        }
    }
    Ok(())
}

/// Returns the time at which a file was written, since 1970.
pub(crate) fn modified(folder: &Folder, name: &str) -> Option<Duration> {
    let modified = fs::symlink_metadata(folder.join(name)).ok()?.modified().ok()?;
    modified.duration_since(SystemTime::UNIX_EPOCH).ok()
}
