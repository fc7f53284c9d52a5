//! Hooks that keep code in order while the model works on it.
//!
//! They run the project's own tools, without a shell. They print nothing as long as the tools find nothing, and they
//! prevent the model from hiding findings instead of fixing them.
//!
//! - [`forbid_suppressions`](suppressions::forbid_suppressions): an edit that hides a finding from its linter is
//!   denied.
//! - [`needless_comments`](comments::needless_comments): new comments that repeat the code are reported.
//! - [`use_project_commands`](commands::use_project_commands): the project's own commands replace the usual ones.
//! - [`keep_tests`](weaker::keep_tests): the user is asked about an edit that makes tests check less.
//! - [`format_on_edit`](format::format_on_edit): a file that was just edited is formatted by the formatter of its type.
//! - [`lint_on_edit`](lint::lint_on_edit): the model reads the findings of linters in files that were just edited.
//! - [`check_before_stop`](gate::check_before_stop): a turn does not end before the project's check has run.

pub mod commands;
pub mod comments;
mod complaint;
mod configured;
pub mod format;
pub mod gate;
pub mod lint;
mod prelude;
mod program;
#[cfg(test)]
#[path = "../../../hookkit/src/soak.rs"]
mod soak;
mod source;
pub mod suppressions;
#[cfg(test)]
#[cfg(unix)]
mod test_project;
pub mod weaker;
