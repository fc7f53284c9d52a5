//! Opens folders and files on Windows, and checks each path before it is opened.
//!
//! Files and folders have the permissions of the folder that contains them: the user's own, if the project is in the
//! user's profile.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::windows::fs::{FileExt, OpenOptionsExt};

use super::LINK;
use crate::prelude::*;

/// The path of a folder that is not a link. Below its base, no folder on the path is a link either.
pub(crate) type Folder = PathBuf;

/// Checks a folder by its path from a base, and creates the missing folders below the base.
///
/// The last folder gets a `.gitignore` that keeps it out of a repository, if it is new. An existing folder does not
/// change.
///
/// # Errors
///
/// Fails if a folder below the base is a link or not a folder, or if it cannot be created.
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

/// Creates a file.
///
/// # Errors
///
/// Fails if the file exists, or cannot be created.
pub(crate) fn create(folder: &Folder, name: &str) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(folder.join(name))
}

/// Opens a file for reading and appending, and creates it if it is missing.
///
/// # Errors
///
/// Fails if the file is a link or not regular, or if it cannot be opened.
pub(crate) fn append(folder: &Folder, name: &str) -> io::Result<File> {
    /// Flag that opens the link itself, not its target.
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

/// Returns the last byte of a file of this length. The next write is after it.
pub(crate) fn last_byte(file: &File, length: u64) -> io::Result<u8> {
    let mut last = [0];
    match file.seek_read(&mut last, length - 1)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(last[0]),
    }
}

/// Renames a file in a folder.
pub(crate) fn rename(folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    fs::rename(folder.join(from), folder.join(to))
}

/// Removes a file in a folder. A missing file is not an error.
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

/// Returns the time at which a file was changed last, since 1970.
pub(crate) fn modified(folder: &Folder, name: &str) -> Option<Duration> {
    let modified = fs::symlink_metadata(folder.join(name)).ok()?.modified().ok()?;
    modified.duration_since(SystemTime::UNIX_EPOCH).ok()
}
