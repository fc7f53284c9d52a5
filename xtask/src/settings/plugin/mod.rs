//! A plugin of hooks: a folder that Claude Code loads, with one program for each platform.
//!
//! [`made`] builds the programs; [`contents`] makes all files from them and the definitions, in memory; [`package`] reads them again, and
//! joins the packages of several machines; [`condition`] looks at one that may be damaged; [`marketplace`] is the file around plugins
//! that Claude Code installs them from.

pub(crate) mod condition;
pub(crate) mod contents;
pub(crate) mod made;
pub(crate) mod marketplace;
pub(crate) mod package;
mod readme;
pub(crate) mod sample;
mod starter;
