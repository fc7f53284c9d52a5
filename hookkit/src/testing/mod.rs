//! Tests of hooks, with a model of the client.
//!
//! A unit test can call a hook's function directly. A [`Session`] covers everything from an event's JSON to a
//! [`Verdict`]: the client's action, and the texts for the model and the user, with assertions for each. It has a
//! project, a home, variables, states and a transcript of its own, and hooks run in it one after the other:
//!
//! ```
//! use hookkit::prelude::*;
//! use hookkit::Hook;
//! use hookkit::testing::Session;
//!
//! /// Denies edits of files marked as generated.
//! #[hook(PreToolUse)]
//! pub fn keep_generated(call: PreToolUse<tool::Edit>) -> std::io::Result<PreToolUseAnswer> {
//!     Ok(match std::fs::read_to_string(&call.input.file_path)?.contains("@generated") {
//!         true => PreToolUseAnswer::deny("the file is generated: change its source"),
//!         false => PreToolUseAnswer::pass(),
//!     })
//! }
//!
//! # fn main() {
//! let session = Session::new();
//! let run = |path| session.run(keep_generated::DEF, &PreToolUse::new("Edit", tool::Edit::new(path, "a", "b")));
//! run(session.write("a.rs", "// @generated")).assert_denied("change its source");
//! run(session.write("b.rs", "// by us")).assert_passed();
//! run(session.path("c.rs")).assert_failed("No such file");
//! # }
//! ```
//!
//! Events have constructors for the fields that a test needs, and all other fields can be set; [`Recorded`] has events
//! as the client sent them.
//! [`run`] is for a hook that needs only its event.
//! [`Verdict::of`] also applies to the output and exit code of any other program.
//!
//! The module requires the feature `testing`, which belongs in `[dev-dependencies]`.

mod config;
mod event;
mod folder;
pub(crate) mod programs;
mod recorded;
mod run;
mod session;
#[cfg(test)]
mod tests;
mod transcript;
mod variables;

pub use config::with_config;
pub use event::TestEvent;
pub use hookkit_verdict::{
    Action, Channel, Dropped, Effect, End, Known, Message, Ran, Rule, UNKNOWN, UNSEEN_EVENTS, Verdict,
};
pub use recorded::Recorded;
pub use run::{run, run_in, run_recorded};
pub use session::Session;
pub use transcript::Transcript;
pub use variables::with_variables;
