//! The files of a state, and their locks.
//!
//! ```text
//! hookkit/
//!   lock                   shared by users of a state, exclusive for the removal of old ones; never removed
//!   sessions/<id>/
//!     <name>.json          the value, replaced as a whole
//!     <name>.lock          locked from the read to the write
//!     <name>.new           an incomplete value, if a process was killed; the next update overwrites it
//!     <name>.aside         the last invalid value
//!   projects/<path>/       the same
//! ```

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub(super) use hookkit_protocol::file_name::file_name;

use crate::Error;
use crate::disk::{self, Lock, MAX_WAIT};

/// Maximum size of a value, so that it is read and written quickly.
const MAX_BYTES: u64 = 1 << 20;

/// Default time that the client keeps transcripts (2.1.330).
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Minimum age of the recorded use of a state, before a new use is recorded.
const USE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of folders to check at a time, so that the hook is not late.
const MAX_CHECKS: usize = 2000;
const MAX_REMOVALS: usize = 32;

/// A step after which tests kill the process.
macro_rules! step {
    ($name:literal) => {
        #[cfg(test)]
        test_support::steps::step($name)
    };
}

/// The files of a state.
#[derive(Debug)]
pub(super) struct Files {
    root: PathBuf,
    /// Name of the folder with all states of a kind.
    kind: &'static str,
    /// Folder of the session or of the project.
    folder: PathBuf,
    /// Name, as the author wrote it.
    name: String,
    stem: String,
    pub(super) max_wait: Duration,
}

impl Files {
    pub(super) fn new(root: &Path, kind: &'static str, owner: &[u8], name: &str) -> Self {
        Self {
            root: root.to_owned(),
            kind,
            folder: root.join(kind).join(file_name(owner)),
            name: name.to_owned(),
            stem: file_name(name.as_bytes()),
            max_wait: MAX_WAIT,
        }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.file("json")
    }

    fn file(&self, extension: &str) -> PathBuf {
        // The stem has no dot.
        self.folder.join(&self.stem).with_extension(extension)
    }

    /// Returns the value's bytes, if there is one.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path();
        let read = || {
            let mut bytes = Vec::new();
            // Reads one byte more than allowed: a larger value is invalid, and not read completely.
            File::open(&path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
            Err(err) => Err(self.failed("be read", &path, &err)),
        }
    }

    /// Records that the value was used, so that it is not removed as unused. If recording fails, the value is removed
    /// sooner.
    pub(super) fn keep(&self) {
        let note = || {
            let file = OpenOptions::new().write(true).open(self.path())?;
            match is_older(file.metadata()?.modified()?, USE_INTERVAL) {
                true => file.set_modified(SystemTime::now()),
                false => Ok(()),
            }
        };
        let _: io::Result<()> = note();
    }

    /// Locks the state. Other processes finish writing it first.
    pub(super) fn lock(&self) -> Result<Locked<'_>, Error> {
        let longest = disk::wait(self.max_wait);
        self.lock_within(longest)?.ok_or_else(|| self.late(&self.file("lock"), longest))
    }

    /// Locks the state; `None` if another process holds the lock for this time.
    pub(super) fn lock_within(&self, longest: Duration) -> Result<Option<Locked<'_>>, Error> {
        let locked = |path: &Path, try_lock: fn(&File) -> Result<(), TryLockError>, longest| match lock_file(path)
            .and_then(|file| Lock::take(file, try_lock, Instant::now() + longest))
        {
            Ok(lock) => Ok(Some(lock)),
            Err(err) if err.kind() == ErrorKind::TimedOut => Ok(None),
            Err(err) if err.kind() == ErrorKind::Unsupported => {
                let fix = "its file system has no locks; set `XDG_STATE_HOME` to a folder on another one";
                Err(self.failed("be locked", path, &fix))
            }
            Err(err) => Err(self.failed("be locked", path, &err)),
        };
        let made = |folder: &Path| create_folder(folder).map_err(|err| self.failed("be created", folder, &err));
        made(&self.root)?;
        // Held for the removal of old states, which takes milliseconds.
        let (shared, max_wait) = (self.root.join("lock"), disk::wait(self.max_wait));
        let root = locked(&shared, File::try_lock_shared, max_wait)?.ok_or_else(|| self.late(&shared, max_wait))?;
        let is_first = !self.folder.is_dir();
        made(&self.folder)?;
        step!("the folder");
        let Some(own) = locked(&self.file("lock"), File::try_lock, longest)? else {
            return Ok(None);
        };
        step!("the lock");
        Ok(Some(Locked { files: self, own, root, is_first }))
    }

    #[cold]
    fn late(&self, path: &Path, longest: Duration) -> Error {
        Error::msg(format_args!(
            "the state `{}` was locked by another hook for {:.1} s: {}",
            self.name,
            longest.as_secs_f32(),
            path.display()
        ))
    }

    pub(super) fn unwritten(&self, why: &dyn fmt::Display) -> Error {
        self.failed("be written", &self.path(), why)
    }

    #[cold]
    fn failed(&self, what: &str, path: &Path, why: &dyn fmt::Display) -> Error {
        Error::msg(format_args!("the state `{}`: {} cannot {what}: {why}", self.name, path.display()))
    }

    /// Removes states of this kind that were not used for a long time. If some cannot be removed, a later hook tries
    /// again.
    fn remove_old(&self) {
        // If a state is in use, the hook of another session does this later.
        let file = lock_file(&self.root.join("lock"));
        let Ok(_all) = file.and_then(|file| Lock::take(file, File::try_lock, Instant::now())) else {
            return;
        };
        let folders = fs::read_dir(self.root.join(self.kind)).into_iter().flatten().flatten();
        let is_folder = |file: &fs::DirEntry| file.file_type().is_ok_and(|kind| kind.is_dir());
        let old = folders.take(MAX_CHECKS).filter(is_folder).map(|folder| folder.path());
        for folder in old.filter(|folder| is_unused(folder)).take(MAX_REMOVALS) {
            let _ = fs::remove_dir_all(folder);
            step!("a removal");
        }
    }
}

/// A locked state. It is unlocked when this is dropped or when the process ends.
pub(super) struct Locked<'f> {
    files: &'f Files,
    own: Lock,
    root: Lock,
    /// `true` if the session or the project had no state before this one.
    is_first: bool,
}

impl Locked<'_> {
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        self.files.read()
    }

    /// Moves an invalid value to another file and prints its path.
    pub(super) fn move_aside(&self, why: &dyn fmt::Display) -> Result<(), Error> {
        let (path, aside) = (self.files.path(), self.files.file("aside"));
        let instead = if aside.exists() { " in place of an earlier one" } else { "" };
        fs::rename(&path, &aside).map_err(|err| self.files.failed("be moved aside", &path, &err))?;
        step!("aside");
        eprintln!(
            "hookkit: the state `{}` is invalid ({why}): it was moved to {}{instead}, and starts again from its default",
            self.files.name,
            aside.display()
        );
        Ok(())
    }

    /// Replaces the value atomically and unlocks the state.
    pub(super) fn replace(self, json: &[u8]) -> Result<(), Error> {
        let length = json.len() as u64;
        if length > MAX_BYTES {
            let why = format_args!("it would have {length} bytes, and the limit is {MAX_BYTES}: remove old entries");
            return Err(self.files.unwritten(&why));
        }
        let (new, path) = (self.files.file("new"), self.files.path());
        let write = || {
            let mut file = disk::private().truncate(true).open(&new)?;
            let (half, rest) = json.split_at(json.len() / 2);
            file.write_all(half)?;
            step!("half of the value");
            file.write_all(rest)?;
            drop(file);
            step!("the value");
            disk::rename(&new, &path)
        };
        write().map_err(|err| {
            // On a full disk it would waste space.
            let _ = fs::remove_file(&new);
            self.files.unwritten(&err)
        })?;
        step!("the rename");
        let Self { files, own, root, is_first } = self;
        drop((own, root));
        if is_first && files.kind == super::SESSIONS {
            files.remove_old();
        }
        Ok(())
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    disk::private().truncate(false).open(path)
}

/// Creates a folder and its parents with access for the user only.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Returns `true` if a folder was not used for a long time.
fn is_unused(folder: &Path) -> bool {
    let is_old = |path: &Path| {
        let modified = fs::symlink_metadata(path).and_then(|file| file.modified());
        modified.is_ok_and(|modified| is_older(modified, MAX_AGE))
    };
    // The folder's time is that of the last write; `keep` records reads in the file.
    is_old(folder)
        && fs::read_dir(folder).is_ok_and(|mut files| files.all(|file| file.is_ok_and(|file| is_old(&file.path()))))
}

/// Returns `true` if a time is more than this long ago. A time in the future is not.
fn is_older(time: SystemTime, than: Duration) -> bool {
    time.elapsed().is_ok_and(|age| age > than)
}
