//! Settings files, and the files that are installed next to them.
//!
//! Here, a settings file is a [`document`], which is parsed once. [`entries`], [`reading`] and [`check`] read it.
//! [`edit`], [`undo`] and [`fix`] make a new document from it. [`place`] has all paths next to the file, and [`apply`]
//! writes.

pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod code;
pub(crate) mod document;
pub(crate) mod drift;
pub(crate) mod edit;
pub(crate) mod entries;
pub(crate) mod everywhere;
pub(crate) mod finding;
pub(crate) mod fix;
pub(crate) mod folders;
pub(crate) mod hold;
pub(crate) mod installed;
pub(crate) mod part;
pub(crate) mod pause;
pub(crate) mod pinned;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod plugin;
pub(crate) mod position;
pub(crate) mod reading;
pub(crate) mod record;
pub(crate) mod scope;
pub(crate) mod shown;
pub(crate) mod site;
pub(crate) mod snippet;
pub(crate) mod sources;
pub(crate) mod start;
pub(crate) mod startup;
pub(crate) mod state;
pub(crate) mod style;
pub(crate) mod toml;
pub(crate) mod undo;
pub(crate) mod value;
pub(crate) mod within;
