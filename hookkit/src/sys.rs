//! Calls to the operating system for which the standard library has no safe functions. Each system has a file with the
//! same functions.

#![expect(unsafe_code, reason = "system calls, and the environment of the process")]

use std::ffi::OsString;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// Returns an environment variable of this process or, in a test, of its session.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    #[cfg(any(feature = "testing", test))]
    return crate::testing::programs::inherited(name);
    #[cfg(not(any(feature = "testing", test)))]
    std::env::var_os(name)
}

/// Sets environment variables of this process and of its children.
///
/// # Safety
///
/// No other thread may exist, since it could read the variables at the same time.
/// Call it first in `main`: before that, only a constructor of a dependency could have started a thread.
pub unsafe fn set_environment(variables: &[(&str, &str)]) {
    for (name, value) in variables {
        // SAFETY: the caller promises that there is one thread.
        unsafe { std::env::set_var(name, value) }
    }
}
