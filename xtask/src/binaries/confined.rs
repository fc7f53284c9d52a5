//! A sandbox for hooks: they can read everything, but change nothing outside of it.
//!
//! Past events are real: a hook that runs on them again must not delete a file a second time. In the sandbox, a hook
//! can write to one scratch folder, to /dev/null and to its three streams. Everything else fails with `EPERM` or
//! `EACCES`, as for another user's files: changes to files and folders elsewhere, sockets of every kind except pairs,
//! and signals to processes outside. Changes of modes, owners and times succeed without effect everywhere: `touch`, `cp
//! -p` and `std::fs::copy` also make them in the scratch folder, and a system call filter cannot read paths. A hook has
//! no terminal, no descriptors besides its streams, no core dumps and, as root, no capability except reading.
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

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result};

/// A sandbox that belongs to the thread that created it.
///
/// The thread itself is not confined, except that its signals reach only processes in the sandbox, and that programs
/// such as `sudo` give it no rights. All processes that the thread starts from now on are in the sandbox, even without
/// [`Room::command`]. Dropping the sandbox kills them.
pub(crate) struct Room {
    restrictions: Arc<linux::Restrictions>,
    /// Not `Send`: on another thread, a signal to all processes would reach every process of the user.
    scope: linux::Scope,
}

impl Room {
    /// Creates a sandbox with this scratch folder.
    ///
    /// Use one sandbox for many runs: the kernel nests at most 16 in a thread.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot confine a hook completely. A hook is never partly confined.
    pub(crate) fn enter(scratch: &Path) -> Result<Self> {
        linux::check_support()?;
        let restrictions = linux::Restrictions::new(scratch)
            .with_context(|| format!("{} cannot be the scratch folder of confined hooks", scratch.display()))?;
        let scope = linux::Scope::enter().context("hooks cannot be confined on this system; no hook was run")?;
        Ok(Self { restrictions: Arc::new(restrictions), scope })
    }

    /// Returns a command that runs confined, in its own session and process group, and without streams.
    ///
    /// Create the files for its streams in the scratch folder: a hook can reopen `/dev/stdout` only there. Do not call
    /// `process_group`: the command then fails to start. The process is killed when the thread ends.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Otherwise git would try to refresh the index.
        command.env("GIT_OPTIONAL_LOCKS", "0");
        self.restrictions.apply_to(&mut command);
        command
    }

    /// Kills all processes in the sandbox, even those that have left their hook's session and process group.
    ///
    /// The kernel does this in one step, so no process can escape by forking.
    pub(crate) fn end_processes(&self) {
        self.scope.kill_all();
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.end_processes();
    }
}

/// A stub for other systems, which have no sandbox.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod linux {
    use std::path::Path;
    use std::process::Command;
    use std::sync::Arc;

    use anyhow::{Result, bail};

    pub(super) enum Restrictions {}

    pub(super) enum Scope {}

    impl Restrictions {
        pub(super) fn new(_scratch: &Path) -> Result<Self> {
            bail!("not supported")
        }

        pub(super) fn apply_to(self: &Arc<Self>, _command: &mut Command) {
            match **self {}
        }
    }

    pub(super) fn check_support() -> Result<()> {
        bail!(
            "hooks can be confined only on Linux, on x86-64 and aarch64; no hook was run: use such a system or a container"
        )
    }

    impl Scope {
        pub(super) fn enter() -> Result<Self> {
            bail!("not supported")
        }

        pub(super) fn kill_all(&self) {
            match *self {}
        }
    }
}
