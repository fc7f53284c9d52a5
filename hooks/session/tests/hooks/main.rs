//! Tests of the pack's hooks on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod audit;
// The tests need git and shell scripts as programs.
#[cfg(unix)]
mod away;
#[cfg(unix)]
mod budget;
#[cfg(unix)]
mod chezmoi;
#[cfg(unix)]
mod git;
mod loops;
#[cfg(unix)]
mod notify;
#[cfg(unix)]
mod restore;
#[cfg(unix)]
mod snapshots;
mod subagents;
mod transcript;
#[cfg(unix)]
mod variables;
