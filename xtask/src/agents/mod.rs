//! Hooks for other coding agents, from the rows of `hookkit_protocol::agents`.

pub(crate) mod commands;
pub(crate) mod file;
pub(crate) mod limits;
pub(crate) mod script;
pub(crate) mod trust;
