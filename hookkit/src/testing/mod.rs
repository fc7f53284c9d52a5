//! For tests of hooks: what the client would do.
//!
//! A hook's function is called by a unit test.
//! [`run`] goes the whole way, from an event's JSON to a [`Verdict`]: what the client does, what the model reads of it and
//! what the user sees, for which it has assertions.
//! Events have constructors with what a test needs to say, and all other fields can be set.
//!
//! A [`Verdict`] says what the client makes of both streams and the exit code of any other program, too.
//!
//! The module is behind the feature `testing`, which belongs among `[dev-dependencies]`.

mod config;
mod run;
#[cfg(test)]
mod tests;
mod variables;

pub use config::with_config;
pub use hookkit_verdict::{
    Action, Channel, Dropped, Effect, End, Known, Message, Ran, Rule, UNKNOWN, UNSEEN_EVENTS, Verdict,
};
pub use run::{run, run_in, run_recorded};
pub use variables::with_variables;
