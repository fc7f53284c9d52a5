//! Effects of a line's commands on files, as far as their words show: the table of programs that guards judge by.

pub(crate) mod changes;
pub(crate) mod mentions;
