//! The binary of a hook installed on this machine.

use std::fs::{File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::process::geteuid;

/// A binary installed on this machine.
pub(super) struct Installed {
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl Installed {
    pub(super) fn is_executable(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.mode() & 0o111 != 0)
    }

    /// Returns `true` if only the user can change the binary and the file has no other hard link.
    pub(super) fn is_users_alone(&self) -> bool {
        let is_sound =
            |file: Metadata| file.uid() == geteuid().as_raw() && file.mode() & 0o022 == 0 && file.nlink() == 1;
        self.file.metadata().is_ok_and(is_sound)
    }

    /// Returns a path that starts the binary. On Linux this is its descriptor's path, so that exactly the checked file
    /// runs.
    pub(super) fn path(&self) -> PathBuf {
        if cfg!(target_os = "linux") {
            format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
        } else {
            self.path.clone()
        }
    }
}
