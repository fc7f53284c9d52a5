//! Reads files of a checkout, a plugin or the settings within limits. In place of such a file there can be anything,
//! with any content.
//!
//! Files are read as the client reads them, so links are followed. For the files that `install` writes, see `write`.

#![expect(clippy::disallowed_methods, reason = "files are checked by their descriptors")]

use std::any::Any;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::panic::resume_unwind;
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// Maximum size of a settings file, or of a file of a plugin. A file that consists of comments takes a hundred times as
/// much memory.
pub(crate) const BYTES: u64 = 2 * 1024 * 1024;

/// Maximum number of hooks of one file that are checked.
pub(crate) const HOOKS: usize = 2_000;

/// Maximum number of folders below `skills` that are checked.
pub(crate) const SKILLS: usize = 2_000;

/// Maximum number of files with hooks that are read for each plugin.
pub(crate) const FILES: usize = 30;

/// Maximum processor time for each of two tasks: reading the plugins, and checking hooks.
///
/// One expression can take a lifetime, and so can many valid hooks.
pub(crate) const SECONDS: u64 = 2;

/// The same as a duration.
pub(crate) const TIME: Duration = Duration::from_secs(SECONDS);

/// Reads a regular file of at most [`BYTES`].
///
/// # Errors
///
/// Fails for anything else. If the file does not exist, the error keeps its kind.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Files of the kernel report a size of zero.
    open(path)?.take(BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= BYTES) {
        return Ok(bytes);
    }
    Err(io::Error::other(format!(
        "{} is longer than {} MiB, and no more is read of such a file",
        path.display(),
        BYTES / (1024 * 1024)
    )))
}

/// Returns a path without `.` and `..`. Uses only the names, as the client does: a link before a `..` is not followed.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            component => plain.push(component),
        }
    }
    plain
}

/// Opens a regular file for reading, without waiting for anything.
///
/// # Errors
///
/// Fails for anything else, and if the file cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Opening a device can have an effect of its own.
    ensure_regular(path, &std::fs::metadata(path)?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // It can have been replaced meanwhile.
    ensure_regular(path, &file.metadata()?)?;
    Ok(file)
}

fn ensure_regular(path: &Path, found: &Metadata) -> io::Result<()> {
    let kind = found.file_type();
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_dir() {
        "a folder"
    } else if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    let text = format!("{} is {what}, not a regular file", path.display());
    Err(io::Error::other(text))
}

/// The end of the time for several steps. It is processor time, so that a busy machine does not shorten it.
///
/// Work that waits also ends, after [`WAITS`] times as long.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    worked: Duration,
    waited: Instant,
}

/// Maximum time on the clock for a task, as a multiple of its processor time.
const WAITS: u32 = 5;

/// Returns the processor time that this process has used.
fn processor_time() -> Duration {
    let taken = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    taken.try_into().unwrap_or_default()
}

impl Deadline {
    /// Returns a deadline after [`TIME`].
    pub(crate) fn new() -> Self {
        Self::after(TIME)
    }

    /// Returns a deadline after half of that time. It is for work of many steps that ends by itself, within a thread
    /// that has the whole time.
    pub(crate) fn half() -> Self {
        Self::after(TIME / 2)
    }

    fn after(time: Duration) -> Self {
        Self { worked: processor_time() + time, waited: Instant::now() + time * WAITS }
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_none()
    }

    /// Returns the time that is left for a single thread. `None` at the end.
    fn left(self) -> Option<Duration> {
        let worked = self.worked.checked_sub(processor_time())?;
        let waited = self.waited.checked_duration_since(Instant::now())?;
        Some(worked.min(waited)).filter(|left| !left.is_zero())
    }

    /// Does some work in a thread of its own. Returns `None` if it is not done in time.
    ///
    /// The thread cannot be stopped. It uses a processor until the process ends, which is soon.
    pub(crate) fn within<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let done = self.any_within(Box::new(|| Box::new(work())))?;
        done.downcast().ok().map(|done| *done)
    }

    /// Does the work of [`within`](Self::within) without its result type, so that threads and channels are compiled
    /// only once.
    fn any_within(self, work: Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>) -> Option<Box<dyn Any + Send>> {
        self.left()?;
        let (sender, done) = mpsc::channel();
        // The main thread's stack size.
        let thread = thread::Builder::new().stack_size(8 * 1024 * 1024);
        let thread = thread.spawn(move || {
            // If it was late, the receiver is gone.
            let _ = sender.send(work());
        });
        loop {
            match done.recv_timeout(self.left()?) {
                Ok(done) => return Some(done),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => match thread.ok()?.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(()) => return None,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn refused(path: &Path) -> String {
        let err = read(path).expect_err("it is read").to_string();
        assert!(err.starts_with(&path.display().to_string()), "{err}");
        err
    }

    #[test]
    fn nothing_but_a_regular_file_of_some_size_is_read() -> io::Result<()> {
        let folder = test_support::folder();
        let path = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(path("pipe")).status()?.success());
        assert!(refused(&path("pipe")).ends_with(" is a named pipe, not a regular file"));
        assert!(refused(folder.path()).ends_with(" is a folder, not a regular file"));
        assert!(refused(Path::new("/dev/zero")).ends_with(" is a device, not a regular file"));
        let long = File::create(path("long"))?;
        long.set_len(BYTES + 1)?;
        assert!(refused(&path("long")).ends_with(" is longer than 2 MiB, and no more is read of such a file"));
        long.set_len(BYTES)?;
        std::os::unix::fs::symlink("long", path("link"))?;
        assert_eq!(read(&path("link"))?.len() as u64, BYTES);
        std::os::unix::fs::symlink("loop", path("loop"))?;
        assert!(read(&path("loop")).is_err());
        let missing = read(&path("missing")).expect_err("it is there");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        fs::write(path("short"), "x")?;
        assert_eq!(read(&path("short"))?, b"x");
        Ok(())
    }

    #[test]
    fn work_that_takes_too_long_is_left() {
        let late = Deadline::after(Duration::from_millis(20));
        let (started, _keeps) = (Instant::now(), Deadline::new());
        assert_eq!(late.within(|| thread::sleep(Duration::from_secs(5))), None);
        assert!(late.is_over() && started.elapsed() < Duration::from_secs(4));
        assert_eq!(late.within(|| 1), None);
        assert_eq!(Deadline::new().within(|| 1), Some(1));
        let panicked = std::panic::catch_unwind(|| Deadline::new().within(|| -> () { panic!("not late") }));
        assert!(panicked.is_err());
    }
}
