//! Effects of a line's commands on files, as far as their words show: the table of programs that guards judge by.

pub(crate) mod changes;
pub(crate) mod mentions;
pub(crate) mod programs;

/// Variables whose value a program runs.
pub(crate) const RUN: &[&str] = &[
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "VISUAL",
];
