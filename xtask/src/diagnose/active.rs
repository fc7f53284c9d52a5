//! All hooks of a session, hookkit's or not: those of the settings files that Claude Code reads, and of plugins.
//!
//! Nothing is built and nothing is run for it: files are read, as Claude Code 2.1.330 reads them.
//! Not known here are the hooks that come and go within a session (those of skills and agents), what the client is told by
//! flags and variables of its own (`--plugin-dir`, `--safe-mode`), settings that a server gives, and whether the user has
//! trusted the folder.

pub(crate) mod outcome;
mod plugins;
pub(crate) mod session;
pub(crate) mod source;
pub(crate) mod switches;
#[cfg(test)]
mod tests;
