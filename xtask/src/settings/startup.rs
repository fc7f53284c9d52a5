//! The check at session start: `.claude/hookkit.sh`, shared by the project's team, and a SessionStart entry.
//!
//! Clones and worktrees have the settings but no binaries, and the client does not report a program that cannot be
//! started (2.1.330).

use anyhow::Result;

use crate::disk::beneath::Beneath;
use crate::settings::entries::{Entry, Handler};
use crate::settings::place::Place;

/// The name of the script in the client's folder.
const FILE: &str = "hookkit.sh";

/// The script, which all sources of a project share.
pub(crate) const SCRIPT: &[u8] = include_bytes!("startup.sh");

/// Returns the script for a project's settings.
pub(crate) fn file(place: &Place) -> Beneath {
    place.claude.join(FILE)
}

/// Returns the file next to a workspace's binaries that has the commit and code from which they were built.
pub(crate) fn built(place: &Place) -> Beneath {
    place.folder().join("built")
}

/// Returns the entry of a workspace.
pub(crate) fn entry(place: &Place) -> Entry {
    Entry { event: "SessionStart".to_owned(), matcher: None, handler: Handler::of_shell(place.startup_command()) }
}

/// Returns `true` if the script's first line shows that `install`, in any version, wrote it.
pub(crate) fn is_ours(script: Option<&[u8]>) -> bool {
    script.is_some_and(|script| first_line(script) == first_line(SCRIPT))
}

/// Returns `true` if a later version of hookkit wrote the script, for another source of the project.
pub(crate) fn is_later(script: Option<&[u8]>) -> bool {
    script.is_some_and(|script| format(script) > format(SCRIPT))
}

/// Returns `true` if the script exists and `install`, in any version, wrote it.
///
/// # Errors
///
/// Fails if the script cannot be read.
pub(crate) fn is_written(place: &Place) -> Result<bool> {
    Ok(is_ours(file(place).read()?.as_deref()))
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end()
}

/// Returns the format number in a script's head.
fn format(text: &[u8]) -> Option<u32> {
    String::from_utf8_lossy(text).split_once(" Format ")?.1.split(':').next()?.parse().ok()
}
