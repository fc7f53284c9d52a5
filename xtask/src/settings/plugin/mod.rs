//! A plugin of hooks: a folder that Claude Code loads, with one program for each platform.
//!
//! [`parts`] is a plugin before its files are made, and [`made`] builds it. [`contents`] makes all files from it, in
//! memory, with the texts of [`readme`] and [`starter`]. [`package`] reads packages again, and joins those of several
//! machines. [`condition`] compares a package that may be damaged with its own list. [`marketplace`] is the file from
//! which Claude Code installs plugins.

pub(crate) mod condition;
pub(crate) mod contents;
pub(crate) mod made;
pub(crate) mod marketplace;
pub(crate) mod package;
pub(crate) mod parts;
mod readme;
#[cfg(any(test, feature = "rig"))]
pub(crate) mod sample;
mod starter;
