//! The files of a state, and who may write them when.
//!
//! ```text
//! hookkit/
//!   lock                   shared by users of a state, exclusive for the removal of old ones; it is never removed
//!   sessions/<id>/
//!     <name>.json          the value, replaced as a whole
//!     <name>.lock          held from the read to the write
//!     <name>.new           the next value, if a process was killed over it; the next one begins it again
//!     <name>.aside         the last value that did not fit
//!   projects/<path>/       the same
//! ```

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::{Error, sys};

/// Maximum time to wait for a state.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Time that a hook needs beyond that, to report that it waited in vain.
const ANSWER_MARGIN: Duration = Duration::from_millis(100);

const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Maximum size of a value, so that a hook reads and writes it at once.
const MAX_BYTES: u64 = 1 << 20;

/// Time for which the client keeps transcripts, unless its settings change it (2.1.330).
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A use is noted when the last note is older than that.
const NOTED: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of folders that are looked at, and of those that are removed, each time: a hook has time for these.
const MAX_LOOKS: usize = 2000;
const MAX_REMOVALS: usize = 32;

/// A step that can be the last one.
macro_rules! step {
    ($name:literal) => {
        #[cfg(all(test, unix))]
        super::tests::step($name)
    };
}

/// The files of a state.
#[derive(Debug)]
pub(super) struct Files {
    root: PathBuf,
    /// Folder of all states of a kind.
    kind: &'static str,
    /// That of the session or the project.
    folder: PathBuf,
    /// As its author wrote it.
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
        // No dot is in the stem.
        self.folder.join(&self.stem).with_extension(extension)
    }

    /// The value's bytes, if there is one.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        let path = self.path();
        let read = || {
            let mut bytes = Vec::new();
            // One byte more shows that there is too much, without reading all of it. It does not fit then.
            File::open(&path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(err) if err.kind() == ErrorKind::NotFound => Ok(None),
            Err(err) => Err(self.failed("be read", &path, &err)),
        }
    }

    /// Notes that the value was used, so that it is not removed as an old one. A value that cannot be noted is removed sooner.
    pub(super) fn keep(&self) {
        let note = || {
            let file = OpenOptions::new().write(true).open(self.path())?;
            match is_older(file.metadata()?.modified()?, NOTED) {
                true => file.set_modified(SystemTime::now()),
                false => Ok(()),
            }
        };
        let _: io::Result<()> = note();
    }

    /// Waits until no other process writes the state.
    pub(super) fn hold(&self) -> Result<Held<'_>, Error> {
        let left = sys::time_left().map(|left| left.saturating_sub(ANSWER_MARGIN));
        let max_wait = left.map_or(self.max_wait, |left| left.min(self.max_wait));
        let deadline = Instant::now() + max_wait;
        let locked = |path: &Path, try_lock: fn(&File) -> Result<(), TryLockError>| {
            let lock = Lock::take(path, try_lock, deadline);
            lock.map_err(|err| match err.kind() {
                ErrorKind::TimedOut => Error::msg(format_args!(
                    "the state `{}` was locked by another hook for {:.1} s: {}",
                    self.name,
                    max_wait.as_secs_f32(),
                    path.display()
                )),
                ErrorKind::Unsupported => {
                    let fix = "its file system has no locks; set `XDG_STATE_HOME` to a folder on another one";
                    self.failed("be locked", path, &fix)
                }
                _ => self.failed("be locked", path, &err),
            })
        };
        let made = |folder: &Path| create_folder(folder).map_err(|err| self.failed("be created", folder, &err));
        made(&self.root)?;
        let root = locked(&self.root.join("lock"), File::try_lock_shared)?;
        let is_first = !self.folder.is_dir();
        made(&self.folder)?;
        step!("the folder");
        let own = locked(&self.file("lock"), File::try_lock)?;
        step!("the lock");
        Ok(Held {
            files: self,
            own,
            root,
            is_first,
        })
    }

    pub(super) fn unwritten(&self, why: &dyn fmt::Display) -> Error {
        self.failed("be written", &self.path(), why)
    }

    #[cold]
    fn failed(&self, what: &str, path: &Path, why: &dyn fmt::Display) -> Error {
        Error::msg(format_args!(
            "the state `{}`: {} cannot {what}: {why}",
            self.name,
            path.display()
        ))
    }

    /// Removes states of this kind that were not used for long. The next hook tries again what cannot be removed.
    fn remove_old(&self) {
        // Who has a state meanwhile goes first, and another session's hook does this.
        let Ok(_all) = Lock::take(&self.root.join("lock"), File::try_lock, Instant::now()) else {
            return;
        };
        let folders = fs::read_dir(self.root.join(self.kind)).into_iter().flatten().flatten();
        let is_folder = |file: &fs::DirEntry| file.file_type().is_ok_and(|kind| kind.is_dir());
        let old = folders.take(MAX_LOOKS).filter(is_folder).map(|folder| folder.path());
        for folder in old.filter(|folder| is_unused(folder)).take(MAX_REMOVALS) {
            let _ = fs::remove_dir_all(folder);
            step!("a removal");
        }
    }
}

/// A state that no other process writes, until this is dropped, or the process ends: the kernel lets go of it then.
pub(super) struct Held<'f> {
    files: &'f Files,
    own: Lock,
    root: Lock,
    /// `true` if there was no state of the session or the project before.
    is_first: bool,
}

impl Held<'_> {
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        self.files.read()
    }

    /// Makes room for a value that fits, and prints the path of the old one.
    pub(super) fn put_aside(&self, why: &dyn fmt::Display) -> Result<(), Error> {
        let (path, aside) = (self.files.path(), self.files.file("aside"));
        let instead = if aside.exists() {
            " in place of an earlier one"
        } else {
            ""
        };
        fs::rename(&path, &aside).map_err(|err| self.files.failed("be moved aside", &path, &err))?;
        step!("aside");
        eprintln!(
            "hookkit: the state `{}` is invalid ({why}): it was moved to {}{instead}, and starts again from its default",
            self.files.name,
            aside.display()
        );
        Ok(())
    }

    /// Writes the value as a whole, and lets go of the state.
    pub(super) fn replace(self, json: &[u8]) -> Result<(), Error> {
        let length = json.len() as u64;
        if length > MAX_BYTES {
            let why = format_args!("it would have {length} bytes, and the limit is {MAX_BYTES}: remove old entries");
            return Err(self.files.unwritten(&why));
        }
        let (new, path) = (self.files.file("new"), self.files.path());
        let write = || {
            let mut file = private().truncate(true).open(&new)?;
            let (half, rest) = json.split_at(json.len() / 2);
            file.write_all(half)?;
            step!("half of the value");
            file.write_all(rest)?;
            drop(file);
            step!("the value");
            fs::rename(&new, &path)
        };
        write().map_err(|err| {
            // On a full disk it shall not take up room.
            let _ = fs::remove_file(&new);
            self.files.unwritten(&err)
        })?;
        step!("the rename");
        let Self {
            files,
            own,
            root,
            is_first,
        } = self;
        drop((own, root));
        if is_first && files.kind == super::SESSIONS {
            files.remove_old();
        }
        Ok(())
    }
}

/// A locked file.
struct Lock(File);

impl Lock {
    /// # Errors
    ///
    /// Of the kind [`ErrorKind::TimedOut`] when another process holds it until then.
    fn take(path: &Path, try_lock: fn(&File) -> Result<(), TryLockError>, deadline: Instant) -> io::Result<Self> {
        let file = private().truncate(false).open(path)?;
        let mut pause = Duration::from_micros(100);
        loop {
            match try_lock(&file) {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(ErrorKind::TimedOut.into());
                }
                // The kernel's own wait has no end.
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Drop for Lock {
    /// To close the file would not do: a process that is just being started has a copy of it until it runs its program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Returns the options that open files for writing, for the user alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder for the user alone, with those that it is in.
fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Returns `true` if nothing in a folder was written or read for long.
fn is_unused(folder: &Path) -> bool {
    let is_old = |path: &Path| {
        let modified = fs::symlink_metadata(path).and_then(|file| file.modified());
        modified.is_ok_and(|modified| is_older(modified, KEPT))
    };
    // Its own time is that of the last write: a use that only reads is noted in the file.
    is_old(folder)
        && fs::read_dir(folder).is_ok_and(|mut files| files.all(|file| file.is_ok_and(|file| is_old(&file.path()))))
}

/// Returns `true` if a time is that long ago. One in the future is not.
fn is_older(time: SystemTime, than: Duration) -> bool {
    time.elapsed().is_ok_and(|age| age > than)
}

/// Maximum length that file systems take, with some room for an extension.
const MAX_NAME: usize = 200;

/// A text as the name of a file, which leads nowhere else and has no dot: other texts have other names.
///
/// Session ids come from outside, and projects have slashes. A long name ends in a hash: who could make two texts with one
/// could say the other one's name as well.
pub(super) fn file_name(text: &[u8]) -> String {
    let mut name = String::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(byte.into()),
            _ => name += &format!("%{byte:02X}"),
        }
    }
    if name.is_empty() {
        name.push('%');
    } else if name.len() > MAX_NAME {
        // FNV-1a, which is the same in the next release of Rust, too.
        let hash = text.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        name.truncate(MAX_NAME - 18);
        name += &format!("%-{hash:016x}");
    }
    name
}
