//! All hooks of a session, hookkit's or not: the hooks of settings files that Claude Code reads, and of plugins.
//!
//! This only reads files, as Claude Code 2.1.330 does: nothing is built, and nothing is run. Not covered: hooks that
//! exist for a part of a session (of skills and agents), the client's own flags and variables (`--plugin-dir`,
//! `--safe-mode`), settings from a server, and whether the user trusts the folder. The start folder of a session
//! decides which files of a project are read: [`crate::settings::start`].

pub(crate) mod mods;
mod module;
pub(crate) mod outcome;
pub(crate) mod plugins;
pub(crate) mod session;
pub(crate) mod source;
pub(crate) mod switches;
#[cfg(test)]
mod tests;
