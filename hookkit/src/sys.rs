//! The calls to the operating system that the standard library has no safe words for: a file for each system, with the
//! same functions in it.

#![expect(
    unsafe_code,
    reason = "what only the system can do, and the variables of the process"
)]

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// Sets variables of this process, before anything else runs in it: its children have them, too.
///
/// # Safety
///
/// No other thread exists yet, since one could read the variables meanwhile.
/// So it is first in `main`; before that, only a constructor of some dependency could have started a thread.
pub unsafe fn set_environment(variables: &[(&str, &str)]) {
    for (name, value) in variables {
        // SAFETY: there is one thread, as the caller has promised.
        unsafe { std::env::set_var(name, value) }
    }
}
