//! All hooks of a session, of hookkit and others: the hooks in the settings files that Claude Code reads, and in
//! plugins.
//!
//! This module only reads files, as Claude Code 2.1.330 does. It builds nothing and runs nothing. It does not cover
//! hooks that exist for a part of a session (those of skills and agents), the client's own flags and variables
//! (`--plugin-dir`, `--safe-mode`), settings from a server, and whether the user trusts the folder. The start folder of
//! a session decides which files of a project are read: see [`crate::settings::start`].

pub(crate) mod mods;
mod module;
pub(crate) mod outcome;
pub(crate) mod plugins;
pub(crate) mod session;
pub(crate) mod source;
pub(crate) mod switches;
#[cfg(test)]
mod tests;
