//! Runs programs that the user has installed.

use crate::prelude::*;

/// Creates a command for a program found in this `PATH`. It does not run in the session's folder.
///
/// The user has not installed the files in that folder, so relative folders in `PATH` find nothing there.
pub(crate) fn installed(name: &str, search_path: &OsStr, time_limit: Duration) -> Command {
    let mut command = Command::new(name);
    command
        // It is searched there, too.
        .env("PATH", search_path)
        .current_dir("/")
        .time_limit(time_limit);
    command
}
