//! All hooks of a session, hookkit's and others, from the settings files that Claude Code reads and from plugins.
//!
//! This module only reads files, as Claude Code 2.1.330 does. It builds nothing and runs nothing. It does not cover
//! hooks that exist for only part of a session (from skills and agents), the client's own flags and variables
//! (`--plugin-dir`, `--safe-mode`), settings from a server, or the user's trust in the folder. The session's start
//! folder decides which of a project's files are read: see [`crate::settings::start`].

pub(crate) mod mods;
mod module;
pub(crate) mod outcome;
pub(crate) mod plugins;
pub(crate) mod session;
pub(crate) mod source;
pub(crate) mod switches;
#[cfg(test)]
mod tests;
