//! Commands and options of git, by what they do with files.

/// Commands of git that use the names of files alone; all others read what they name.
pub(in crate::effects) const GIT_ONLY_NAMES: &[&str] = &[
    "branch", "check-attr", "check-ignore", "clone", "commit", "config", "describe", "fetch", "init", "log",
    "ls-files", "ls-remote", "ls-tree", "merge", "pull", "push", "rebase", "reflog", "remote", "reset", "rev-list",
    "rev-parse", "status", "submodule", "switch", "tag", "worktree",
];

/// Options with which these show the content of files, or read a file.
pub(in crate::effects) const GIT_SHOWS: &[&str] = &[
    "-p", "-u", "-U", "-L", "-c", "-v", "-F", "--patch", "--unified", "--cc", "--file", "--verbose",
    "--patch-with-stat", "--patch-with-raw",
];

/// Options with which others show the names alone.
pub(in crate::effects) const GIT_SUMMARIES: &[&str] = &[
    "--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--quiet",
];

pub(in crate::effects) const GIT_CHANGES: &[&str] = &["apply", "checkout", "mv", "restore", "rm"];

/// Options by which `update-index` marks a file, and reads none.
pub(in crate::effects) const GIT_MARKS: &[&str] = &[
    "--assume-unchanged", "--no-assume-unchanged", "--no-skip-worktree", "--skip-worktree",
];
