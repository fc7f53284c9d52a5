//! Rules about hooks: [`handler`] looks at one hook, [`interplay`] at all hooks together. Both only report, and change nothing.
//!
//! [`command`] is about what a hook's command calls, and [`shell`] reads command lines for it.

pub(crate) mod command;
pub(crate) mod handler;
pub(crate) mod interplay;
pub(crate) mod shell;
