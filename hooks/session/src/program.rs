//! Programs that the user has installed.

use std::ffi::OsStr;
use std::time::Duration;

use hookkit::process::Command;

/// A program that is looked for in `PATH`, whose value is given; it runs in no folder of the session's.
///
/// Files there were not installed by the user, so that a relative folder in `PATH` finds nothing of it.
pub(crate) fn installed(name: &str, search_path: &OsStr, time_limit: Duration) -> Command {
    let mut command = Command::new(name);
    command
        // Where it is looked for, too.
        .env("PATH", search_path)
        .current_dir("/")
        .time_limit(time_limit);
    command
}
