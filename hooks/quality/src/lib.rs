//! Hooks that keep code in order while the model works on it.
//!
//! They run the project's own tools, which they start without a shell, and stay silent as long as those are content;
//! and they see to it that these are made content by mends.
//!
//! - [`forbid_suppressions`](suppressions::forbid_suppressions): an edit that hides a finding from its linter is refused.
//! - [`format_on_edit`](format::format_on_edit): a file that was just edited is formatted by the formatter of its type.
//! - [`check_before_stop`](gate::check_before_stop): a turn does not end before the project's check has run.

pub mod format;
pub mod gate;
mod program;
pub mod suppressions;
