//! Files below a folder that others may have filled, such as a checkout.
//!
//! A path is opened from its [`Root`], component by component, and no component may be a symbolic link. So no name in a
//! checkout leads out of it, even while another program swaps folders and links. Only regular files are read. The
//! checks use their descriptors, and at most [`MOST`] bytes are read.
//!
//! `xtask/clippy.toml` forbids `std::fs` elsewhere. A module that uses it documents whose files it reads.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{fmt, thread};

use anyhow::Context;
use rustix::fs::{
    Access, AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, RawMode, RenameFlags, accessat, fchmod, flock,
    fstat, linkat, mkdirat, openat, readlinkat, renameat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use crate::disk::step::step;
use crate::terminal::one_line;

/// Maximum size of a binary, in bytes. Hooks with all their symbols are smaller.
pub(crate) const MOST: u64 = 1 << 28;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Flags for opening a file. With `NONBLOCK`, opening a named pipe does not block.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// A folder named by the user. It is opened only once.
struct Root {
    path: PathBuf,
    /// `true` if the user's path had no links. Any link found later is new.
    is_canonical: bool,
    /// The advice in a message about a link below the folder.
    advice: &'static str,
    opened: OnceLock<OwnedFd>,
}

impl Root {
    fn open(&self) -> Result<BorrowedFd<'_>> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened.as_fd());
        }
        let opened =
            if self.is_canonical { canonical(&self.path)? } else { openat(CWD, &self.path, FOLDER, Mode::empty())? };
        Ok(self.opened.get_or_init(|| opened).as_fd())
    }
}

/// Opens a folder at a path without links. On other systems, only its last component is checked.
fn canonical(path: &Path) -> Result<OwnedFd> {
    match without_links(CWD, path) {
        // Before Linux 5.6, in a sandbox without the call, or on another system.
        Err(Errno::NOSYS | Errno::PERM) => Ok(openat(CWD, path, FOLDER | OFlags::NOFOLLOW, Mode::empty())?),
        Err(Errno::LOOP) => Err(Error::other(format!(
            "{} is, or is below, a symbolic link; use its real path",
            one_line(path.display())
        ))),
        opened => Ok(opened?),
    }
}

/// Opens a folder if no component of its path is a link. Only Linux can check all of them in one call.
#[cfg(target_os = "linux")]
fn without_links(from: BorrowedFd<'_>, path: &Path) -> rustix::io::Result<OwnedFd> {
    rustix::fs::openat2(from, path, FOLDER, Mode::empty(), rustix::fs::ResolveFlags::NO_SYMLINKS)
}

#[cfg(not(target_os = "linux"))]
fn without_links(_: BorrowedFd<'_>, _: &Path) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// Handling of a missing component in a path.
#[derive(Clone, Copy, PartialEq)]
enum Missing {
    Fails,
    IsCreated,
    EndsIt,
}

/// The path of a file or folder below a [`Root`], or of the root itself. The file need not exist.
#[derive(Clone)]
pub(crate) struct Beneath {
    root: Arc<Root>,
    /// The path relative to the root.
    names: PathBuf,
}

impl Beneath {
    /// Returns the path of a project's root.
    pub(crate) fn project(root: &Path) -> Self {
        let advice = "Replace it with a file or a folder, or install elsewhere: --scope user, or --settings FILE with \
                      its real path";
        Self::root(root, true, advice)
    }

    /// Returns the path of a folder named by the user, without links.
    pub(crate) fn named(folder: &Path) -> Self {
        Self::root(folder, true, "Specify the file by its real path: --settings FILE")
    }

    /// Returns the path of a folder that belongs to the user. The existing part is the root; links in it are followed.
    pub(crate) fn user(folder: &Path) -> Self {
        let root = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
        let missing = folder.strip_prefix(root).unwrap_or(Path::new(""));
        Self::root(root, false, "Replace it with a file or a folder").join(missing)
    }

    fn root(path: &Path, is_canonical: bool, advice: &'static str) -> Self {
        let root = Root { path: path.to_owned(), is_canonical, advice, opened: OnceLock::new() };
        Self { root: Arc::new(root), names: PathBuf::new() }
    }

    /// Returns a path below this one. Opening fails if a component is not a plain name.
    pub(crate) fn join(&self, names: impl AsRef<Path>) -> Self {
        Self { names: self.names.join(names), ..self.clone() }
    }

    /// Returns the parent folder's path. The root is its own parent.
    pub(crate) fn parent(&self) -> Self {
        Self { names: self.names.parent().unwrap_or(Path::new("")).to_owned(), ..self.clone() }
    }

    /// Returns the path, for messages and settings.
    pub(crate) fn path(&self) -> PathBuf {
        // Joined with an empty path, it would get a slash.
        if self.names.as_os_str().is_empty() { self.root.path.clone() } else { self.root.path.join(&self.names) }
    }

    /// Returns the last component.
    ///
    /// # Errors
    ///
    /// Fails for the root.
    pub(crate) fn name(&self) -> Result<&OsStr> {
        let name = self.names.file_name();
        name.ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("{self} is not a file name")))
    }

    /// Opens the folder at this path.
    ///
    /// # Errors
    ///
    /// Fails if it or a folder above it does not exist, is a link, or is not a folder.
    pub(crate) fn open(&self) -> Result<Folder> {
        self.walk(Missing::Fails)
    }

    /// Opens the folder at this path, and creates missing folders.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open), or if a folder cannot be created.
    pub(crate) fn create(&self) -> Result<Folder> {
        self.walk(Missing::IsCreated)
    }

    /// Opens the deepest existing folder on the path.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open), except for missing folders.
    pub(crate) fn nearest(&self) -> Result<Folder> {
        self.walk(Missing::EndsIt)
    }

    fn walk(&self, missing: Missing) -> Result<Folder> {
        let (root, at) = (self.root.open()?, self.clone());
        // If this fails, opening the components one by one shows the reason.
        if self.names.components().all(|component| matches!(component, Component::Normal(_)))
            && let Ok(opened) = without_links(root, &self.names)
        {
            return Ok(Folder { opened, at });
        }
        let mut folder = Folder { opened: root.try_clone_to_owned()?, at: Self { names: PathBuf::new(), ..at } };
        for component in self.names.components() {
            let Component::Normal(name) = component else {
                let err = format!("{self} has a part that is not a plain name");
                return Err(Error::new(ErrorKind::InvalidInput, err));
            };
            folder = match folder.folder(name, missing == Missing::IsCreated) {
                Err(err) if err.kind() == ErrorKind::NotFound && missing == Missing::EndsIt => return Ok(folder),
                opened => opened?,
            };
        }
        Ok(folder)
    }

    /// Returns the file's kind, mode and identity, without following a link. `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open) for the parent folder.
    pub(crate) fn stat(&self) -> Result<Option<Stat>> {
        if self.names.as_os_str().is_empty() {
            return if_there(self.open())?.map(|root| root.own_stat()).transpose();
        }
        match if_there(self.parent().open())? {
            None => Ok(None),
            Some(folder) => folder.stat(self.name()?),
        }
    }

    /// Returns the target of a symbolic link.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open) for the parent folder, or if the file is not a link.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let target = readlinkat(self.parent().open()?.opened, self.name()?, Vec::new())?;
        Ok(OsStr::from_bytes(target.to_bytes()).into())
    }

    /// Reads a regular file. Returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open) for the parent folder, or like [`Folder::read`].
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>> {
        self.read_up_to(MOST)
    }

    /// Reads the file. Errors contain its path.
    pub(crate) fn content(&self) -> anyhow::Result<Option<Vec<u8>>> {
        self.read().with_context(|| format!("reading {self}"))
    }

    /// Reads a file with at most this many bytes.
    pub(crate) fn read_up_to(&self, most: u64) -> Result<Option<Vec<u8>>> {
        let Some(folder) = if_there(self.parent().open())? else {
            return Ok(None);
        };
        let file = if_there(folder.open(self.name()?))?;
        file.map(|file| read(&file, self, most)).transpose()
    }

    /// Removes an empty folder.
    pub(crate) fn remove_folder(&self) -> Result<()> {
        match self.names.file_name() {
            Some(name) => unlinkat(self.parent().open()?.opened, name, AtFlags::REMOVEDIR)?,
            None => rustix::fs::rmdir(&self.root.path)?,
        }
        Ok(())
    }

    /// Changes the mode of a regular file or a folder.
    ///
    /// # Errors
    ///
    /// Fails like [`read`](Self::read), or if the file is no longer the one in `seen`.
    pub(crate) fn set_mode(&self, seen: &Stat, mode: u32) -> Result<()> {
        let opened = match seen.kind {
            FileType::Directory => self.open()?.opened,
            _ => self.parent().open()?.open(self.name()?)?.into(),
        };
        let now = Stat::of(&fstat(&opened)?);
        let what = |stat: &Stat| (stat.device, stat.inode, stat.owner, stat.mode);
        let has_links = now.kind != FileType::Directory && now.links > 1;
        if what(&now) != what(seen) || has_links {
            return Err(Error::other("it was replaced meanwhile, so it was not changed"));
        }
        Ok(fchmod(&opened, Mode::from_raw_mode(mode as RawMode))?)
    }
}

/// Shows the path on one line, because names in a checkout can contain any characters.
impl fmt::Display for Beneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(self.path().display()))
    }
}

/// An open folder. Names refer to its direct entries, and links are not followed.
pub(crate) struct Folder {
    opened: OwnedFd,
    at: Beneath,
}

impl Folder {
    fn folder(&self, name: &OsStr, creates: bool) -> Result<Self> {
        let open = || openat(&self.opened, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) if creates => {
                step!("before a folder");
                match mkdirat(&self.opened, name, Mode::from_raw_mode(0o755)) {
                    Err(err) if err != Errno::EXIST => Err(err),
                    _ => {
                        step!("a folder");
                        open()
                    }
                }
            }
            opened => opened,
        };
        Ok(Self { opened: opened.map_err(|err| self.refused(name, err))?, at: self.at.join(name) })
    }

    /// Opens a regular file.
    ///
    /// # Errors
    ///
    /// Fails if it does not exist, is a link, or is not a regular file.
    pub(crate) fn open(&self, name: &OsStr) -> Result<File> {
        // Opening a device can have side effects.
        if self.stat(name)?.is_some_and(|stat| !stat.is_file()) {
            return Err(self.refused(name, Errno::INVAL));
        }
        let file = openat(&self.opened, name, FILE, Mode::empty()).map_err(|err| self.refused(name, err))?;
        if !Stat::of(&fstat(&file)?).is_file() {
            return Err(self.refused(name, Errno::INVAL));
        }
        Ok(file.into())
    }

    /// Reads a regular file. Returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// Fails like [`open`](Self::open), or if the file is larger than [`MOST`].
    pub(crate) fn read(&self, name: &OsStr) -> Result<Option<Vec<u8>>> {
        if_there(self.open(name))?.map(|file| read(&file, &self.at.join(name), MOST)).transpose()
    }

    /// Returns the metadata of the entry with this name. `None` if there is none.
    pub(crate) fn stat(&self, name: &OsStr) -> Result<Option<Stat>> {
        let found = statat(&self.opened, name, AtFlags::SYMLINK_NOFOLLOW);
        if_there(found.map(|stat| Stat::of(&stat)).map_err(Error::from))
    }

    /// Returns the metadata of the folder itself.
    pub(crate) fn own_stat(&self) -> Result<Stat> {
        Ok(Stat::of(&fstat(&self.opened)?))
    }

    /// Creates a file for writing.
    ///
    /// # Errors
    ///
    /// Fails if the name exists, even as a broken link.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.opened, name, flags, Mode::from_raw_mode(mode as RawMode))?.into())
    }

    /// Moves a file into another folder, and replaces an existing file there.
    pub(crate) fn rename(&self, from: &OsStr, into: &Self, to: &OsStr) -> Result<()> {
        Ok(renameat(&self.opened, from, &into.opened, to)?)
    }

    /// Swaps two files in one step.
    pub(crate) fn exchange(&self, one: &OsStr, other: &OsStr) -> Result<()> {
        let folder = &self.opened;
        Ok(renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE)?)
    }

    /// Renames a file, unless the new name is taken.
    pub(crate) fn rename_within(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        let folder = &self.opened;
        Ok(renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE)?)
    }

    /// Creates a symbolic link.
    ///
    /// # Errors
    ///
    /// Fails if the name exists.
    pub(crate) fn symlink(&self, target: &OsStr, name: &OsStr) -> Result<()> {
        Ok(symlinkat(target, &self.opened, name)?)
    }

    /// Creates a hard link to a file, unless the name is taken.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> Result<()> {
        Ok(linkat(&self.opened, from, &self.opened, to, AtFlags::empty())?)
    }

    /// Removes a file.
    pub(crate) fn remove(&self, name: &OsStr) -> Result<()> {
        Ok(unlinkat(&self.opened, name, AtFlags::empty())?)
    }

    /// Returns the names of all entries.
    pub(crate) fn names(&self) -> Result<Vec<OsString>> {
        let entries = Dir::read_from(&self.opened)?.map(|entry| Ok(entry?.file_name().to_owned()));
        let names = entries.collect::<Result<Vec<_>>>()?;
        let names = names.iter().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
        Ok(names.filter(|name| name != "." && name != "..").collect())
    }

    /// Returns the folder's path for messages.
    pub(crate) fn path(&self) -> PathBuf {
        self.at.path()
    }

    /// Checks that this process may create and remove files in the folder.
    pub(crate) fn is_writable(&self) -> Result<()> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        Ok(accessat(&self.opened, ".", access, AtFlags::EACCESS)?)
    }

    /// Locks the folder for this run, until the lock is dropped. On a file system without locks, this has no effect.
    ///
    /// # Errors
    ///
    /// Fails if another run has locked the folder and does not finish soon.
    pub(crate) fn lock(&self) -> Result<OwnedFd> {
        // A separate descriptor: copies of a descriptor share one lock, even the copy in a process that is just being
        // started.
        let own = openat(&self.opened, ".", FOLDER, Mode::empty())?;
        for _ in 0..100 {
            match flock(&own, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => thread::sleep(Duration::from_millis(10)),
                _ => return Ok(own),
            }
        }
        Err(Error::other("another run is writing here; try again when it is done"))
    }

    /// Syncs the folder to disk, so that changes to its entries are not lost.
    pub(crate) fn sync(&self) -> Result<()> {
        match to_disk(&File::from(self.opened.try_clone()?)) {
            // Some network and FUSE file systems sync files but not folders.
            Err(err) if is_unsupported(&err) => Ok(()),
            synced => synced,
        }
    }

    /// Returns the error for an entry that could not be opened.
    fn refused(&self, name: &OsStr, err: Errno) -> Error {
        let at = self.at.join(name);
        let advice = at.root.advice;
        let kind = self.stat(name).ok().flatten().map(|stat| stat.kind);
        let what = match (kind, err) {
            (Some(FileType::Symlink), _) => {
                let to = readlinkat(&self.opened, name, Vec::new()).unwrap_or_default();
                let to = to.to_string_lossy().into_owned();
                format!(
                    "{at} is a symbolic link to {}, and links below {} are not followed\n{advice}",
                    one_line(&to),
                    one_line(at.root.path.display())
                )
            }
            (Some(_), Errno::NOTDIR) => format!("{at} should be a folder, but it is a file; remove it first"),
            (Some(_), Errno::INVAL) => format!("{at} is not a regular file\n{advice}"),
            _ => return err.into(),
        };
        Error::other(what)
    }
}

/// Reads a whole open file with at most this many bytes.
///
/// # Errors
///
/// Fails if the file cannot be read or is larger.
pub(crate) fn read(file: &File, name: &Beneath, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The size is wrong for files generated by the kernel, and for files that are growing.
    if file.metadata()?.len() > most || file.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        let err = format!("{name} has more than {} MiB, the limit for such files", most >> 20);
        return Err(Error::new(ErrorKind::FileTooLarge, err));
    }
    Ok(bytes)
}

/// Returns a mode in this system's type, which has fewer bits on macOS.
fn bits(mode: impl Into<u32>) -> u32 {
    mode.into()
}

/// A file's metadata, in types that are the same on all systems.
pub(crate) struct Stat {
    pub(crate) kind: FileType,
    /// The permission bits, as in `chmod`.
    pub(crate) mode: u32,
    pub(crate) owner: u32,
    pub(crate) group: u32,
    device: i128,
    pub(crate) inode: u64,
    /// The number of hard links.
    pub(crate) links: i128,
    /// Time of the last write to the content, in seconds and nanoseconds.
    pub(crate) written: (i64, i128),
    /// Time of the last change of any kind, including a rename.
    pub(crate) changed: (i64, i128),
}

impl Stat {
    fn of(stat: &rustix::fs::Stat) -> Self {
        Self {
            kind: FileType::from_raw_mode(stat.st_mode),
            mode: bits(Mode::from_raw_mode(stat.st_mode).bits()),
            owner: stat.st_uid,
            group: stat.st_gid,
            device: stat.st_dev.into(),
            inode: stat.st_ino,
            links: stat.st_nlink.into(),
            written: (stat.st_mtime, stat.st_mtime_nsec.into()),
            changed: (stat.st_ctime, stat.st_ctime_nsec.into()),
        }
    }

    pub(crate) fn is_file(&self) -> bool {
        self.kind == FileType::RegularFile
    }

    pub(crate) fn is_program(&self) -> bool {
        self.is_file() && self.mode & 0o111 != 0
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.kind == FileType::Directory
    }

    pub(crate) fn is_link(&self) -> bool {
        self.kind == FileType::Symlink
    }
}

/// Returns `None` if the file does not exist.
pub(crate) fn if_there<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
        Err(err) => Err(err),
    }
}

/// Returns `true` if a call failed because the system or file system does not support it.
pub(crate) fn is_unsupported(err: &Error) -> bool {
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(err).is_some_and(|err| unsupported.contains(&err))
}

/// Syncs a file to disk. Tests skip this: they kill processes, not machines.
pub(crate) fn to_disk(file: &File) -> Result<()> {
    if cfg!(not(test)) {
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use test_support::Has;

    fn refused<T>(done: Result<T>) -> String {
        done.err().map(|err| err.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_name_below_a_root_leads_nowhere_else() -> Result<()> {
        let folder = test_support::folder();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("a/b"))?;
        fs::write(root.join("a/file"), "x")?;
        symlink("../..", root.join("a/up"))?;
        symlink("file", root.join("a/link"))?;
        let at = |names: &str| Beneath::project(&root).join(names);
        assert_eq!(at("a/file").read()?.as_deref(), Some(&b"x"[..]));
        assert_eq!(at("a/missing").read()?, None);
        assert_eq!(at("missing/file").read()?, None);
        for names in ["a/link", "a/up/file", "a/up"] {
            let message = refused(at(names).read());
            assert!(message.contains(" is a symbolic link to "), "{names}: {message}");
        }
        for names in ["..", "a/../file", "/etc/passwd", "a/../../x"] {
            let message = refused(at(names).open());
            assert!(message.contains("has a part that is not a plain name"), "{names}: {message}");
        }
        assert!(refused(at("a/file/x").read()).contains("should be a folder, but it is a file"));
        assert!(refused(at("a/b").read()).contains("is not a regular file"));
        Ok(())
    }

    #[test]
    fn a_root_that_is_behind_a_link_is_not_opened() -> Result<()> {
        let folder = test_support::folder();
        let at = |name: &str| folder.path().canonicalize().map(|folder| folder.join(name));
        fs::create_dir_all(at("other/root")?)?;
        symlink("other", at("link")?)?;
        assert!(Beneath::project(&at("other/root")?).open().is_ok());
        let message = refused(Beneath::project(&at("link/root")?).open());
        assert!(message.contains("symbolic link"), "{message}");
        Ok(())
    }

    #[test]
    fn the_mode_of_another_file_than_was_seen_stays() -> Result<()> {
        let folder = test_support::folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("script"), "")?;
        fs::write(at("secret"), "")?;
        let script = Beneath::user(folder.path()).join("script");
        let seen = script.stat()?.ok_or(ErrorKind::NotFound)?;
        let mode = |name: &str| fs::metadata(at(name)).map(|file| file.permissions().mode() & 0o777);
        let before = mode("secret")?;
        fs::rename(at("secret"), at("script"))?;
        assert!(refused(script.set_mode(&seen, 0o755)).contains("it was replaced meanwhile"));
        assert_eq!(mode("script")?, before);
        let seen = script.stat()?.ok_or(ErrorKind::NotFound)?;
        script.set_mode(&seen, 0o755)?;
        assert_eq!(mode("script")?, 0o755);
        Ok(())
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() -> Result<()> {
        let folder = test_support::folder();
        File::create(folder.path().join("large"))?.set_len(MOST + 1)?;
        let message = refused(Beneath::project(folder.path()).join("large").read());
        message.ends("large has more than 256 MiB, the limit for such files");
        Ok(())
    }
}
