//! Rules about hooks: each finds one fault.

pub(crate) mod command;
pub(crate) mod handler;
pub(crate) mod interplay;
pub(crate) mod shell;
