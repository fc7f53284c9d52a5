//! Hooks that accompany a session.
//!
//! They look on: none of them decides anything, and when one fails the work goes on.
//!
//! - [`audit_tool_calls`](audit::audit_tool_calls): every tool call is a line in a log of the project.
//! - [`git_context`](git::git_context): the model learns where the repository stands.

pub mod audit;
pub mod git;
