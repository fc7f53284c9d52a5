//! For tests of hooks: what the client would do.
//!
//! A hook's function is called by a unit test.
//! [`run`] goes the whole way, from an event's JSON to a [`Verdict`]: what the client does, what the model reads of it and
//! what the user sees, for which it has assertions.
//! Events have constructors with what a test needs to say, and all other fields can be set.
//!
//! A verdict says what the client makes of both streams and the exit code of any other program, too:
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

mod assert;
mod config;
mod ran;
mod rule;
mod run;
#[cfg(test)]
mod tests;
mod variables;
mod verdict;

pub use config::with_config;
pub use ran::{End, Ran};
pub use rule::{Known, Rule, UNSEEN_EVENTS};
pub use run::{run, run_in, run_recorded};
pub use variables::with_variables;
pub use verdict::{Action, Dropped, Effect, Message, Place, UNKNOWN, Verdict};
