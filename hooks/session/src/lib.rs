//! Hooks that keep a session's records.
//!
//! They look on: none of them decides anything, and when one fails the work goes on.
//!
//! - [`audit_tool_calls`](audit::audit_tool_calls): every tool call is a line in a log of the project.

pub mod audit;
