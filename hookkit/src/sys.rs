//! The few calls to the operating system that the standard library has no safe words for.

#![expect(unsafe_code, reason = "file descriptors, and the variables of the process")]

use std::fs::File;
use std::io;
use std::os::fd::{FromRawFd, RawFd};

const STDIN: RawFd = 0;
const STDOUT: RawFd = 1;
const STDERR: RawFd = 2;

/// Takes the protocol's stdout away from the process, and lets whatever is printed from now on go to stderr.
///
/// The client takes "text, then JSON" for plain text and drops the decision (client 2.1.330), so one `println!` in a
/// handler, in a dependency or in a child process would open a guard.
/// The file that is returned is closed on exec: a child cannot hold it either.
pub(crate) fn take_stdout() -> io::Result<File> {
    // SAFETY: both calls take and give plain numbers, and fail with -1. `taken` is a new descriptor that nothing else
    // owns, so that the file may close it.
    unsafe {
        let taken = check(libc::fcntl(STDOUT, libc::F_DUPFD_CLOEXEC, 3))?;
        let taken = File::from_raw_fd(taken);
        check(libc::dup2(STDERR, STDOUT))?;
        Ok(taken)
    }
}

/// The process's stdin, without the standard library's buffer and lock.
pub(crate) fn stdin() -> std::mem::ManuallyDrop<File> {
    // SAFETY: the file is never dropped, so that it does not close a descriptor that it does not own. Where descriptor 0
    // is not open, reading fails with EBADF, as it should.
    std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(STDIN) })
}

/// Sets variables of this process, before anything else runs in it: its children have them, too.
///
/// # Safety
///
/// No other thread exists yet, since one could read the variables meanwhile.
/// So it stands first in `main`; before that, only a constructor of some dependency could have started a thread.
pub unsafe fn set_environment(variables: &[(&str, &str)]) {
    for (name, value) in variables {
        // SAFETY: there is one thread, as the caller has promised.
        unsafe { std::env::set_var(name, value) }
    }
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}
