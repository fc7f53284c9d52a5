//! Files that several hooks share: readable by the user only, locked, and replaced as a whole.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys;

/// Maximum time to wait for a lock.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(5);

/// Time that a hook needs, after waiting for a lock, to report the error.
const ANSWER_MARGIN: Duration = Duration::from_millis(100);

const MAX_PAUSE: Duration = Duration::from_millis(10);

/// Returns the time that a hook can wait for a lock, at most `longest`.
pub(crate) fn wait(longest: Duration) -> Duration {
    let left = sys::time_left().map(|left| left.saturating_sub(ANSWER_MARGIN));
    left.map_or(longest, |left| left.min(longest))
}

/// A locked file.
pub(crate) struct Lock(File);

impl Lock {
    /// # Errors
    ///
    /// Fails with [`ErrorKind::TimedOut`] if another process holds the lock at the deadline.
    pub(crate) fn take(
        file: File,
        try_lock: fn(&File) -> Result<(), TryLockError>,
        deadline: Instant,
    ) -> io::Result<Self> {
        let mut pause = Duration::from_micros(100);
        loop {
            match try_lock(&file) {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::Error(err)) => return Err(err),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(ErrorKind::TimedOut.into());
                }
                // The kernel's own wait has no timeout.
                Err(TryLockError::WouldBlock) => thread::sleep(pause),
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Returns the file.
    #[cfg(any(feature = "log", test))]
    pub(crate) fn file(&self) -> &File {
        &self.0
    }
}

impl Drop for Lock {
    /// Unlocks the file. Closing it would not be enough while a forked process has a copy and has not started its
    /// program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Returns options that create files with access for the user only.
#[cfg(any(feature = "log", feature = "state", test))]
pub(crate) fn private() -> std::fs::OpenOptions {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Replaces a file. On Windows, this fails while another process has the file open: a hook that reads it, or a scanner.
#[cfg(any(feature = "state", feature = "config-file", test))]
pub(crate) fn rename(from: &std::path::Path, to: &std::path::Path) -> io::Result<()> {
    use std::fs;

    const MAX_TRIES: usize = 100;
    for _ in 1..MAX_TRIES {
        match fs::rename(from, to) {
            Err(err) if cfg!(windows) && err.kind() == ErrorKind::PermissionDenied => thread::sleep(MAX_PAUSE),
            renamed => return renamed,
        }
    }
    fs::rename(from, to)
}
