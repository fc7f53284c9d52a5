//! A plugin of hooks: a folder that Claude Code loads, with one program for each platform.
//!
//! [`parts`] is a plugin before its files are generated, and [`made`] builds it. [`contents`] generates all files in
//! memory, with the texts of [`readme`] and [`starter`]. [`package`] reads packages back, and joins those from several
//! machines. [`condition`] compares a possibly damaged package with its own list. [`marketplace`] is the file from
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
