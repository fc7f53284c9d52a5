//! Files: reads untrusted files within limits, and makes every change.
//!
//! No module here depends on a workspace, or on a location where hooks are installed.

pub(crate) mod beneath;
pub(crate) mod bounded;
#[cfg(test)]
pub(crate) mod faults;
pub(crate) mod files;
pub(crate) mod journal;
pub(crate) mod lock;
pub(crate) mod packages;
pub(crate) mod page;
pub(crate) mod restore;
pub(crate) mod state;
pub(crate) mod step;
pub(crate) mod temporary;
pub(crate) mod tree;
pub(crate) mod write;
