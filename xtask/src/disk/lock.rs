//! Locks a folder, so that only one run at a time changes it.

#![expect(clippy::disallowed_methods, reason = "the folder is the user's own")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::disk::step;
use crate::terminal::progress::{PATIENCE, announce};

/// A lock on a folder, held until it is dropped or the process ends.
pub(crate) struct Lock(File);

impl Lock {
    /// The file name of the lock.
    pub(crate) const NAME: &str = "lock";

    /// Maximum wait for another run that changes files. A run holds its lock for at most a second.
    pub(crate) const LIMIT: Duration = Duration::from_secs(30);

    /// Returns the lock file in a folder.
    pub(crate) fn file(folder: &Path) -> PathBuf {
        folder.join(Self::NAME)
    }

    /// Waits for the lock on a folder, up to `limit`. Creates the folder if necessary.
    ///
    /// # Errors
    ///
    /// Fails if another run holds the lock the whole time. The error shows which run, and since when.
    pub(crate) fn take(folder: &Path, limit: Duration) -> Result<Self> {
        let path = Self::file(folder);
        let started = Instant::now();
        let mut is_reported = false;
        loop {
            if let Some(lock) = Self::try_take(folder, &path).with_context(|| format!("locking {}", path.display()))? {
                return Ok(lock);
            }
            let waited = started.elapsed();
            if waited >= limit {
                bail!(
                    "{}; gave up after {} s, and changed nothing\nWait until that run is done, or kill it, and try \
                     again",
                    held(folder, &path),
                    limit.as_secs()
                );
            }
            if waited > PATIENCE && !is_reported {
                is_reported = true;
                announce("Waiting", &format!("for another run: {}", held(folder, &path)));
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Takes the lock. `None` if another process holds it, or has just removed the file.
    fn try_take(folder: &Path, path: &Path) -> Result<Option<Self>> {
        let opened = fs::create_dir_all(folder).and_then(|()| open(path));
        step::step!("the lock's file");
        let mut file = match opened {
            // The holder has just removed the folder, before this process opened or saw the file.
            Err(err) if [io::ErrorKind::NotFound, io::ErrorKind::AlreadyExists].contains(&err.kind()) => {
                return Ok(None);
            }
            opened => opened?,
        };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // A file system without locks: files are still written atomically there.
            Err(TryLockError::Error(err)) if is_without_locks(&err) => {}
            Err(TryLockError::Error(err)) => return Err(err.into()),
            Ok(()) => {}
        }
        // A file that was removed between opening and locking it does not count.
        let (ours, present) = (file.metadata()?, fs::metadata(path));
        if !present.is_ok_and(|present| (present.dev(), present.ino()) == (ours.dev(), ours.ino())) {
            return Ok(None);
        }
        file.set_len(0)?;
        let system = rustix::system::uname();
        let host = system.nodename().to_string_lossy();
        write!(file, "process {} on {host}", std::process::id())?;
        step::step!("the lock");
        Ok(Some(Self(file)))
    }
}

impl Drop for Lock {
    /// Unlocks explicitly. Closing the file is not enough, because a child process has a copy of it until it executes
    /// its program.
    fn drop(&mut self) {
        // If this fails, there are no locks, or the kernel releases this one a moment later.
        let _ = self.0.unlock();
    }
}

/// Opens the lock file. Creates it if it does not exist.
///
/// # Errors
///
/// Fails for anything but a regular file with a single hard link.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.nlink() < 2 {
        Ok(file)
    } else {
        Err(io::Error::other("it is a link, or not a regular file; remove it first"))
    }
}

/// Describes the process that holds the lock, for a message.
fn held(folder: &Path, path: &Path) -> String {
    let holder = fs::read_to_string(path).unwrap_or_default();
    let holder = if holder.is_empty() { "another run" } else { &holder };
    let since = fs::metadata(path).and_then(|file| file.modified());
    let since = since.ok().and_then(|since| since.elapsed().ok()).unwrap_or_default();
    format!("{} is held by {holder}, for {} s", folder.display(), since.as_secs())
}

fn is_without_locks(err: &io::Error) -> bool {
    // Network file systems without locks on the server return one of these.
    let unsupported = [Errno::NOLCK, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
    Errno::from_io_error(err).is_some_and(|err| unsupported.contains(&err))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::disk::faults;
    use crate::soak;
    use test_support::Has;

    #[test]
    fn who_waits_in_vain_is_reported_for_whom() -> Result<()> {
        let folder = test_support::folder();
        let held = Lock::take(folder.path(), Duration::ZERO)?;
        let refused = Lock::take(folder.path(), Duration::from_millis(50)).map_err(|err| err.to_string());
        let message = refused.err().context("it is held")?;
        message.has(&format!("is held by process {} on ", std::process::id()));
        drop(held);
        Lock::take(folder.path(), Duration::ZERO)?;
        Ok(())
    }

    #[test]
    fn what_was_let_go_is_free_while_processes_are_started() -> Result<()> {
        let folder = test_support::folder();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    Command::new("true").status().expect("it is there");
                }
            });
            let taken = soak::rounds(200, 2_000).try_for_each(|_| Lock::take(folder.path(), Duration::ZERO).map(drop));
            is_over.store(true, Ordering::Relaxed);
            taken
        })
    }

    #[test]
    fn a_lock_that_was_removed_with_its_folder_is_free() -> Result<()> {
        let outer = test_support::folder();
        let folder = outer.path().join("folder");
        let gone = folder.clone();
        let remove = faults::first("the lock's file", move || fs::remove_dir_all(gone).expect("it is there"));
        let _held = faults::during(remove, || Lock::take(&folder, Duration::MAX))?;
        assert!(Lock::file(&folder).exists());
        Ok(())
    }

    #[test]
    fn no_link_in_its_place_is_written_through() -> Result<()> {
        let folder = test_support::folder();
        let (canary, lock) = (folder.path().join("canary"), Lock::file(folder.path()));
        fs::write(&canary, "precious")?;
        std::os::unix::fs::symlink(&canary, &lock)?;
        assert!(Lock::take(folder.path(), Duration::ZERO).is_err());
        fs::remove_file(&lock)?;
        fs::hard_link(&canary, &lock)?;
        assert!(Lock::take(folder.path(), Duration::ZERO).is_err());
        assert_eq!(fs::read_to_string(&canary)?, "precious");
        Ok(())
    }

    #[test]
    fn who_was_killed_holds_nothing() -> Result<()> {
        let folder = test_support::folder();
        fs::write(Lock::file(folder.path()), "process 1 on a host with a long name, far away from here, for sure")?;
        let _held = Lock::take(folder.path(), Duration::ZERO)?;
        let holder = fs::read_to_string(Lock::file(folder.path()))?;
        assert!(holder.starts_with("process ") && !holder.contains("for sure"), "{holder}");
        Ok(())
    }
}
