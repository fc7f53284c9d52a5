//! Hooks that accompany a session.
//!
//! These hooks observe. Only [`break_loops`](loops::break_loops), [`hold_budget`](budget::hold_budget) and
//! [`hold_subagents`](subagents::hold_subagents) decide anything. If a hook fails, the work goes on.
//!
//! - [`break_loops`](loops::break_loops): repeated failures of a call, or repeated edits back and forth, end the turn;
//!   [`count_failures`](loops::count_failures) counts failures for it.
//! - [`audit_tool_calls`](audit::audit_tool_calls): every tool call is a line in a log of the project.
//! - [`chezmoi_reminder`](chezmoi::chezmoi_reminder): an edited dotfile is brought into chezmoi's source.
//! - [`git_context`](git::git_context): the model reads the state of the repository.
//! - [`hold_budget`](budget::hold_budget): a turn ends each time the session has used up a budget of tokens.
//! - [`hold_subagents`](subagents::hold_subagents): subagents start within limits of number, depth and model;
//!   [`count_subagents`](subagents::count_subagents) counts them.
//! - [`keep_snapshots`](snapshot::keep_snapshots): the project's files are kept as they were before each call, and
//!   [`expire_snapshots`](snapshot::expire_snapshots) removes old ones.
//! - [`keep_transcript`](transcript::keep_transcript): the conversation is copied before a compaction.
//! - [`load_environment`](variables::load_environment): commands get the variables from files that the user has
//!   allowed.
//! - [`notify`](notify::notify): the client's notifications are shown on the desktop, or in the terminal.
//! - [`notify_away`](away::notify_away): notifications are sent to a phone or a chat when the user is away from the
//!   keyboard.
//! - [`restore_context`](restore::restore_context): the model reads the rules and the state of its work again after a
//!   compaction.

pub mod audit;
pub mod away;
pub mod budget;
pub mod chezmoi;
mod folder;
pub mod git;
pub mod loops;
pub mod notify;
mod prelude;
mod program;
pub mod restore;
pub mod snapshot;
pub mod subagents;
mod text;
pub mod transcript;
pub mod variables;
