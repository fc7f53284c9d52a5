//! For tests of hooks: what the client would do.
//!
//! A hook's function is called by a unit test; [`respond`](crate::respond()) runs a hook on a payload; and a [`Verdict`]
//! says what the client then makes of both streams and the exit code, of this hook or of any other program:
//!
//! ```
//! use hookkit::protocol::event;
//! use hookkit::testing::{Action, Ran, Verdict};
//!
//! let verdict = Verdict::of(&event::PRE_TOOL_USE, &Ran::exit(2).stderr("no").command("guard").target("Bash"));
//! assert_eq!(verdict.action, Action::Refused);
//! assert_eq!(verdict.model_reads[0].text, "PreToolUse:Bash hook error: [guard]: no");
//! ```
//!
//! The module is behind the feature `testing`, which belongs among `[dev-dependencies]`.

mod ran;
mod rule;
#[cfg(test)]
mod tests;
mod verdict;

pub use ran::{End, Ran};
pub use rule::{Known, Rule};
pub use verdict::{Action, Dropped, Effect, Message, Place, UNKNOWN, Verdict};
