//! The hooks that a session has, and what is wrong with them.

pub(crate) mod active;
pub(crate) mod client;
pub(crate) mod fields;
pub(crate) mod finding;
pub(crate) mod fix;
#[cfg(all(test, unix))]
pub(crate) mod fixes;
pub(crate) mod look;
pub(crate) mod own;
pub(crate) mod present;
pub(crate) mod report;
pub(crate) mod rules;
