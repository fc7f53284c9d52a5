//! The answers of handlers: a type for each event, with the members that the client honors there.
//!
//! An answer begins with `pass()` or with the constructor of a decision, whose name is the client's word
//! (`deny(reason)`, `block_once(…)`). Every other method is named `with_` plus the client's member in snake case, on
//! all events. `with_context` is short for `additionalContext`, and `with_plain_text` adds text that is not JSON. On
//! Stop and SubagentStop `additionalContext` makes the model continue, so there it is a decision, `context(…)`. Two
//! constructors have one purpose each: `WorktreeCreateAnswer::path` and `RewakeAnswer::wake`. A member that requires a
//! certain decision is omitted with other decisions; its docs say so.
//!
//! Every event also accepts `()`, for a hook that only observes, and an `Option` or `Result` of an answer.
//! A hook on several events returns an answer that each of them accepts: `()`, [`ContextAnswer`] or [`TerminalAnswer`].
//! A hook that the client does not wait for returns an [`AsyncAnswer`] or a [`RewakeAnswer`].
//!
//! Answers that would have no effect do not compile: `deny` exists only for events that can be denied.
//! The docs of each method describe who reads its text, and its effect in client 2.1.332.
//! "Untested: no headless session shows it." marks facts from the client's code that need a terminal or an account to
//! be observed. `docs/book/src/outputs.md` has all facts as a table, with the runs of the client that show them.
//!
//! Text that the client would cut is a [`Text`]; a string converts to it. A reason may have any length.
//! Answers do not use the old format (`decision: "approve"`); clients since 1.0.59 understand the current one.

use std::fmt;

use crate::event::{Event, MayPass};
use crate::json::PayloadProjection;
use crate::{Error, OnFailure, Payload, Response};
use mode::{Async, AsyncRewake, Awaited};

#[macro_use]
mod declare;

mod background;
mod call;
mod channel;
mod finding;
mod meaning;
#[cfg(unix)]
pub(crate) mod merged;
mod permission;
mod replaced;
mod skill;
pub(crate) mod table;
mod terminal;
mod text;
mod worktree;

pub use background::*;
pub use call::*;
pub use channel::*;
pub use finding::*;
pub use permission::*;
pub use replaced::*;
pub use skill::*;
pub use table::*;
pub use terminal::*;
pub use text::Text;
pub use worktree::*;

/// The return value of a handler of event `E`.
#[diagnostic::on_unimplemented(
    message = "a hook on `{E}` cannot return `{Self}`",
    label = "not an answer of this event",
    note = "return the answer of the event (`PreToolUseAnswer` on `PreToolUse`), `()`, or an `Option` or `Result` of these",
    note = "on several events, return an answer that all of them accept, such as `()`, or `ContextAnswer` if the model reads context on all",
    note = "with `async`, return `AsyncAnswer` or `()`; with `async_rewake`, `RewakeAnswer` or `()`"
)]
pub trait Answer<E: Event, M = Awaited> {
    /// Default failure policy of a hook with this answer.
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    /// Matcher for the tools whose input or output the answer can replace. `None` for no tool, or for any tool.
    #[doc(hidden)]
    const MATCHER: Option<&'static str> = None;

    /// `true` if the answer can replace the tool's input or output. The client applies only one hook's replacement.
    #[doc(hidden)]
    const REWRITES: bool = false;

    /// Encodes the answer to this payload as the output of the process.
    ///
    /// # Errors
    ///
    /// Fails if the handler returned an error, or the client would not accept the answer; the failure policy then decides.
    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error>;

    /// Adds the members of the payload that the encoding needs.
    #[doc(hidden)]
    fn projection(_: &mut PayloadProjection) {}

    /// Returns the reason if the answer denies or blocks the event's action.
    #[doc(hidden)]
    fn denial(&self) -> Option<&str> {
        None
    }
}

/// The ways in which the client waits for a hook.
#[doc(hidden)]
pub mod mode {
    /// The client waits, and honors the answer.
    #[derive(Debug)]
    pub enum Awaited {}

    /// The client does not wait (`async`).
    #[derive(Debug)]
    pub enum Async {}

    /// The client does not wait, and the hook can wake the model (`async_rewake`).
    #[derive(Debug)]
    pub enum AsyncRewake {}
}

/// Has no effect: the client goes ahead as without a hook.
impl<E: MayPass, M> Answer<E, M> for () {
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(Response::default())
    }
}

/// `None` has no effect.
impl<E: MayPass, M, A: Answer<E, M>> Answer<E, M> for Option<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;
    const REWRITES: bool = A::REWRITES;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        match self {
            Some(answer) => answer.into_response(payload),
            None => Ok(Response::default()),
        }
    }

    fn projection(projection: &mut PayloadProjection) {
        A::projection(projection);
    }

    fn denial(&self) -> Option<&str> {
        self.as_ref().and_then(A::denial)
    }
}

/// The failure policy gets an error formatted with `{:#}`, which for many error types includes their causes.
impl<E: Event, M, A: Answer<E, M>, X: fmt::Display> Answer<E, M> for Result<A, X> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;
    const REWRITES: bool = A::REWRITES;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        self.map_err(|err| Error::msg(format_args!("{err:#}")))?.into_response(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        A::projection(projection);
    }

    fn denial(&self) -> Option<&str> {
        self.as_ref().ok().and_then(A::denial)
    }
}

#[cfg(test)]
mod tests;
