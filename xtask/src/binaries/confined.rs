//! A room that confines hooks: they can read everything, but change nothing outside of the room.
//!
//! Past events are real: a hook that runs on them again must not delete a file a second time.
//! In a room a hook writes to one scratch folder, to /dev/null and to its three streams.
//! Everything else fails with `EPERM` or `EACCES`, as for another user's files: changes of files and folders elsewhere,
//! sockets of every kind except pairs, and signals to processes outside.
//! Changes of modes, owners and times succeed without effect, everywhere: a filter of system calls cannot read a path,
//! and `touch`, `cp -p` and `std::fs::copy` make such changes in the scratch folder, too.
//! A hook has no terminal, no descriptors besides its streams, no core dumps and, as root, no capability except to
//! read.
//! docs/decisions/0056-hooks-are-confined-by-the-kernel.md has the reasons.
//!
//! Extended attributes cannot be changed in the scratch folder, either, and a file there cannot be made executable.
//! There are no pseudoterminals, no shared memory or semaphores with a name, and no debuggers.
//!
//! A hook still can
//!
//! - read everything that the user can read, including taking bytes from a named pipe and opening a device, which for
//!   some devices has an effect
//! - lock files (`flock`, leases), until it is killed
//! - use processor, memory, the disk of the scratch folder, and processes up to the user's limit, until it is killed
//! - leave links and programs in the scratch folder: follow no link there, and run nothing there outside of a room
//! - leave processes running if xtask is killed: only the hook's first process ends with it. They stay confined.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
#[cfg(all(test, target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::{Context, Result};

/// A room that belongs to the thread that created it.
///
/// The thread itself is not confined, except that its signals reach only processes in the room, and that it gains no
/// rights by starting programs such as `sudo`.
/// All processes that the thread starts from now on are in the room, even without [`Room::command`]. Dropping the room
/// ends them.
pub(crate) struct Room {
    restrictions: Arc<linux::Restrictions>,
    /// Not `Send`: on another thread, a signal to all processes would reach all of the user's processes.
    scope: linux::Scope,
}

impl Room {
    /// Creates a room with this scratch folder.
    ///
    /// Use one room for many runs: the kernel nests at most 16 rooms in a thread.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot confine a hook completely. A hook is never confined in part.
    pub(crate) fn enter(scratch: &Path) -> Result<Self> {
        linux::check_support()?;
        let restrictions = linux::Restrictions::new(scratch)
            .with_context(|| format!("{} cannot be the scratch folder of confined hooks", scratch.display()))?;
        let scope = linux::Scope::enter().context("hooks cannot be confined on this system; no hook was run")?;
        Ok(Self { restrictions: Arc::new(restrictions), scope })
    }

    /// Returns a command that runs confined, in a session and process group of its own, and without streams.
    ///
    /// Create the files for its streams in the scratch folder: only there can a hook reopen `/dev/stdout`.
    /// Do not call `process_group`: the command then fails to start.
    /// The process is killed when the thread ends.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Git then only reads an index, instead of trying to refresh it.
        command.env("GIT_OPTIONAL_LOCKS", "0");
        self.restrictions.apply_to(&mut command);
        command
    }

    /// Kills all processes in the room, even those that have left the session and the process group of their hook.
    ///
    /// The kernel does that in one step, so a process cannot fork its way out of it.
    pub(crate) fn end_processes(&self) {
        self.scope.kill_all();
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.end_processes();
    }
}

/// A replacement for other systems, where no room can be created.
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
