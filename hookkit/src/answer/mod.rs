//! The answers of handlers: a type for each event, with what the client honors there.
//!
//! An answer begins with `pass()` or with the constructor of a decision, in the client's word for it (`deny(reason)`,
//! `block_once(…)`); everything else is `with_` and the name of the client's member in snake case, on every event alike.
//! `additionalContext` is `with_context`, for short, and text that is not JSON is `with_plain_text`.
//! On Stop and SubagentStop `additionalContext` makes the turn go on: there it is a decision, `context(…)`.
//! Two have one purpose each: `WorktreeCreateAnswer::path` and `RewakeAnswer::wake`.
//! A member that goes with some decisions only is left out of the others, and its documentation says so.
//!
//! Every event also takes `()`, for a hook that only observes, and `Option` and `Result` of an answer.
//! A hook on several events answers what each of them takes: `()`, [`ContextAnswer`], or [`TerminalAnswer`].
//! One that the client does not wait for returns an [`AsyncAnswer`] or a [`RewakeAnswer`].
//!
//! An answer that cannot work does not exist: `deny` is a method of the answers to events that can be denied.
//! Each method says who reads its text, and what the client then does, in client 2.1.330; the words are the client's.
//! "Untested: no headless session shows it." says that a fact is from the client's code: it takes a terminal, or an
//! account, to be seen. `docs/book/src/outputs.md` has all of it as a table, with the runs of the client that show it.
//!
//! Text that the client would cut is a [`Text`], which a string becomes by itself; a reason goes out whole, whatever
//! its length.
//! No answer is in the old dialect (`decision: "approve"`): clients understand this one since 1.0.59.

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
mod permission;
mod replaced;
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
pub use table::*;
pub use terminal::*;
pub use text::Text;
pub use worktree::*;

/// The return value of a handler of event `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer that a hook on `{E}` can give",
    label = "not an answer of this event",
    note = "a hook returns the answer of its own event (`PreToolUseAnswer` on `PreToolUse`), `()`, or an `Option` or `Result` of these",
    note = "on several events it returns what each of them takes, such as `()`, or `ContextAnswer` where the model reads context",
    note = "with `async` it returns `AsyncAnswer`, with `async_rewake` `RewakeAnswer`, or `()`"
)]
pub trait Answer<E: Event, M = Awaited> {
    /// The outcome of the action when the hook fails instead of answering.
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    /// The tools whose input or output it can replace, in the client's matcher language. `None`: none, or any.
    #[doc(hidden)]
    const MATCHER: Option<&'static str> = None;

    /// Encodes the answer to this payload as the process gives it.
    ///
    /// # Errors
    ///
    /// If the handler's result is an error, or the answer cannot be given; the failure policy then decides.
    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error>;

    /// Adds the members of the payload that the answer is made from.
    #[doc(hidden)]
    fn projection(_: &mut PayloadProjection) {}

    /// Returns the reason, if it denies what the event announces.
    #[doc(hidden)]
    fn denial(&self) -> Option<&str> {
        None
    }
}

/// The ways in which the client waits for a hook.
#[doc(hidden)]
pub mod mode {
    /// It waits, and honors the answer.
    #[derive(Debug)]
    pub enum Awaited {}

    /// It goes on at once (`async`).
    #[derive(Debug)]
    pub enum Async {}

    /// It goes on at once, and can be woken (`async_rewake`).
    #[derive(Debug)]
    pub enum AsyncRewake {}
}

/// No opinion: the client goes ahead as without a hook.
impl<E: MayPass, M> Answer<E, M> for () {
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(Response::default())
    }
}

/// `None` is not an opinion.
impl<E: MayPass, M, A: Answer<E, M>> Answer<E, M> for Option<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;

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

/// An error goes to the failure policy, in full: `{:#}`, which for many error types shows their causes, too.
impl<E: Event, M, A: Answer<E, M>, X: fmt::Display> Answer<E, M> for Result<A, X> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        self.map_err(|err| Error::msg(format_args!("{err:#}")))?
            .into_response(payload)
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
