//! Tests of hooks, with a model of the client.
//!
//! A unit test can call a hook's function directly.
//! [`run`] covers the whole way, from an event's JSON to a [`Verdict`]: what the client does, what the model reads and
//! what the user sees, with assertions for each.
//! Events have constructors for the fields that a test needs, and all other fields can be set.
//!
//! [`Verdict::of`] also applies to the output and exit code of any other program.
//!
//! The module requires the feature `testing`, which belongs in `[dev-dependencies]`.

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
