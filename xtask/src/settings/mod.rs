//! What is installed: the settings files, and everything next to them.

pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod document;
pub(crate) mod drift;
pub(crate) mod edit;
pub(crate) mod entries;
pub(crate) mod fix;
pub(crate) mod folders;
#[cfg(fuzzing)]
pub mod fuzzing;
pub(crate) mod installed;
pub(crate) mod instrumented;
pub(crate) mod part;
pub(crate) mod pinned;
pub(crate) mod place;
pub(crate) mod reading;
pub(crate) mod scope;
pub(crate) mod sources;
pub(crate) mod startup;
pub(crate) mod style;
pub(crate) mod undo;
