//! Rules about hooks. [`handler`] checks one hook, [`interplay`] all hooks together, and [`permissions`] permission
//! rules. They report, and change nothing.
//!
//! [`command`] checks the programs that a hook's command calls. [`shell`] reads command lines for it.

pub(crate) mod command;
pub(crate) mod handler;
pub(crate) mod interplay;
pub(crate) mod permissions;
pub(crate) mod shell;
