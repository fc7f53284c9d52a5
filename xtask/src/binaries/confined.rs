//! A sandbox for hooks: they can read everything, but change nothing outside of it.
//!
//! Past events are real: a hook that runs on them again must not delete a file a second time. In the sandbox, a hook
//! can write to one scratch folder, to /dev/null and to its three streams. Everything else fails with `EPERM` or
//! `EACCES`, as for another user's files: changes to files and folders elsewhere, sockets of every kind except pairs,
//! and signals to processes outside. Changes of modes, owners and times succeed without effect everywhere: `touch`, `cp
//! -p` and `std::fs::copy` make such changes in the scratch folder, too, and a system call filter cannot read paths. A
//! hook has no terminal, no descriptors besides its streams, no core dumps and, as root, no capability except reading.
//! docs/decisions/0056-hooks-are-confined-by-the-kernel.md has the reasons.
//!
//! Even in the scratch folder, extended attributes cannot be changed, and files cannot be made executable. There are no
//! pseudoterminals, no named shared memory or semaphores, and no debuggers.
//!
//! A hook can still
//!
//! - read everything that the user can read, which includes taking bytes from a named pipe and opening a device (for
//!   some devices, opening has an effect)
//! - lock files (`flock`, leases), until it is killed
//! - use CPU time, memory, disk space for the scratch folder, and processes up to the user's limit, until it is killed
//! - leave links and programs in the scratch folder: follow no link there, and run nothing from it outside a sandbox
//! - leave processes running if xtask is killed: only the hook's first process is killed too. The others stay confined.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;

pub(crate) use linux::Room;

/// A stub for other systems, which have no sandbox.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod linux {
    use std::ffi::OsStr;
    use std::path::Path;
    use std::process::Command;

    use anyhow::{Result, bail};

    pub(crate) enum Room {}

    impl Room {
        pub(crate) fn enter(_scratch: &Path) -> Result<Self> {
            bail!(
                "hooks can be confined only on Linux, on x86-64 and aarch64; no hook was run: use such a system or a container"
            )
        }

        pub(crate) fn command(&self, _program: impl AsRef<OsStr>) -> Command {
            match *self {}
        }

        pub(crate) fn end_processes(&self) {
            match *self {}
        }
    }
}
