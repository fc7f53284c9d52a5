//! What a handler answers: a type per event, each with what the client does something with.
//!
//! Every event also takes `()`, for a hook that only looks on, and `Option` and `Result` of an answer.
//! A hook on several events answers what each of them takes: `()`, [`ContextAnswer`], or [`TerminalAnswer`].
//! One that nobody waits for returns an [`AsyncAnswer`] or a [`RewakeAnswer`].
//!
//! What cannot work does not exist: `deny` is a method of the answers to events that can be denied.
//! Each method says who reads its text, and what the client then does, in client 2.1.330; the words are the client's.
//! "Untested: no headless session shows it." says that a fact is from the client's code: it takes a terminal, or an
//! account, to be seen. `docs/outputs.md` has all of it as a table, with the runs of the client that show it.
//!
//! Text that the client would cut is a [`Text`], which a string becomes by itself; a reason goes out whole, whatever
//! its length.
//! No answer is in the old dialect (`decision: "approve"`): clients understand this one since 1.0.59.

use std::fmt;

use hookkit_protocol::event as facts;

use crate::event::{Event, MayPass};
use crate::json::{Object, PayloadWants};
use crate::{Error, OnFailure, Payload, Response};
use mode::{Async, AsyncRewake, Awaited};

mod background;
mod call;
mod channel;
mod compact;
mod elicitation;
mod finding;
mod model;
mod permission;
mod prompt;
mod replaced;
mod session;
mod several;
mod team;
mod terminal;
mod text;
mod turn;
mod workspace;

pub use background::*;
pub use call::*;
pub use channel::*;
pub use compact::*;
pub use elicitation::*;
pub use finding::*;
pub use model::*;
pub use permission::*;
pub use prompt::*;
pub use replaced::*;
pub use session::*;
pub use several::*;
pub use team::*;
pub use terminal::*;
pub use text::Text;
pub use turn::*;
pub use workspace::*;

/// What a handler of event `E` may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer that a hook on `{E}` can give",
    label = "not an answer of this event",
    note = "a hook returns the answer of its own event (`PreToolUseAnswer` on `PreToolUse`), `()`, or an `Option` or `Result` of these",
    note = "on several events it returns what each of them takes, such as `()`, or `ContextAnswer` where the model reads context",
    note = "with `async` it returns `AsyncAnswer`, with `async_rewake` `RewakeAnswer`, or `()`"
)]
pub trait Answer<E: Event, M = Awaited> {
    /// What happens to the action at hand when the hook fails instead of answering.
    const ON_FAILURE: OnFailure;

    /// The tools whose input or output it can replace, in the client's matcher language. `None`: none, or any.
    #[doc(hidden)]
    const MATCHER: Option<&'static str> = None;

    /// The answer as the process gives it, to this payload.
    ///
    /// # Errors
    ///
    /// When the handler's result is an error, or the answer cannot be given; the failure policy then decides.
    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error>;

    /// Adds the members of the payload that the answer is made from.
    #[doc(hidden)]
    fn wants(_: &mut PayloadWants) {}

    /// The reason, if it refuses what the event announces.
    #[doc(hidden)]
    fn refusal(&self) -> Option<&str> {
        None
    }
}

/// How the client waits for a hook.
#[doc(hidden)]
pub mod mode {
    /// It does, and heeds the answer.
    #[derive(Debug)]
    pub enum Awaited {}

    /// It goes on at once (`async`).
    #[derive(Debug)]
    pub enum Async {}

    /// It goes on at once, and can be woken (`async_rewake`).
    #[derive(Debug)]
    pub enum AsyncRewake {}
}

/// No opinion: the client goes on as if there were no hook.
impl<E: MayPass, M> Answer<E, M> for () {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(Response::default())
    }
}

/// `None` is no opinion.
impl<E: MayPass, M, A: Answer<E, M>> Answer<E, M> for Option<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;
    const MATCHER: Option<&'static str> = A::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        match self {
            Some(answer) => answer.into_response(payload),
            None => Ok(Response::default()),
        }
    }

    fn wants(wants: &mut PayloadWants) {
        A::wants(wants);
    }

    fn refusal(&self) -> Option<&str> {
        self.as_ref().and_then(A::refusal)
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

    fn wants(wants: &mut PayloadWants) {
        A::wants(wants);
    }

    fn refusal(&self) -> Option<&str> {
        self.as_ref().ok().and_then(A::refusal)
    }
}

/// What few answers have, whatever their event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Extras(Option<Box<Extra>>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Extra {
    system_message: Option<Text>,
    terminal_sequence: Option<TerminalSequence>,
    is_output_suppressed: bool,
}

impl Extras {
    fn get(&mut self) -> &mut Extra {
        self.0.get_or_insert_default()
    }

    fn write(self, answer: &mut Object<'_>) -> Result<(), Error> {
        let Some(extra) = self.0 else { return Ok(()) };
        optional_text(answer, "systemMessage", extra.system_message, text::LIMIT)?;
        if let Some(sequence) = &extra.terminal_sequence {
            answer.string("terminalSequence", sequence.as_str());
        }
        if extra.is_output_suppressed {
            answer.boolean("suppressOutput", true);
        }
        Ok(())
    }
}

/// The methods of an answer whose `extras` have an effect on its event.
macro_rules! with {
    (system_message) => {
        /// Adds a message that the user reads; the model does not (`systemMessage`).
        pub fn with_system_message(mut self, message: impl Into<$crate::answer::Text>) -> Self {
            self.extras.get().system_message = Some(message.into());
            self
        }
    };
    (system_message_unseen) => {
        /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
        pub fn with_system_message(mut self, message: impl Into<$crate::answer::Text>) -> Self {
            self.extras.get().system_message = Some(message.into());
            self
        }
    };
    (terminal_sequence) => {
        /// Adds what the user's terminal is to do (`terminalSequence`). Untested: no headless session shows it.
        pub fn with_terminal_sequence(mut self, sequence: $crate::answer::TerminalSequence) -> Self {
            self.extras.get().terminal_sequence = Some(sequence);
            self
        }
    };
    (suppressed_output) => {
        /// Leaves the hook's row out of the transcript that the user can open (`suppressOutput`). The rest of the
        /// answer is used as ever. Untested: no headless session shows it.
        pub fn with_suppressed_output(mut self) -> Self {
            self.extras.get().is_output_suppressed = true;
            self
        }
    };
}

use with;

/// Writes an answer; one without members is silence.
fn answer(write: impl FnOnce(&mut Object<'_>) -> Result<(), Error>) -> Result<Response, Error> {
    let mut stdout = Vec::with_capacity(512);
    let mut answer = Object::new(&mut stdout);
    write(&mut answer)?;
    if answer.is_empty() {
        return Ok(Response::default());
    }
    answer.end();
    Ok(Response {
        stdout,
        ..Response::default()
    })
}

/// An answer with a reason, if it blocks, with context, if there is any, and with the extras of its type: the shape
/// that most events share.
fn block_or_context(
    event: &facts::Event,
    reason: Option<&str>,
    context: Option<Text>,
    extras: Extras,
) -> Result<Response, Error> {
    answer(|answer| {
        if let Some(reason) = reason {
            block(answer, reason);
        }
        extras.write(answer)?;
        context_of(answer, event, context)
    })
}

fn block(answer: &mut Object<'_>, reason: &str) {
    answer.string("decision", "block");
    answer.string("reason", reason);
}

/// Ends the turn.
fn stop(answer: &mut Object<'_>, reason: &str) {
    answer.boolean("continue", false);
    answer.string("stopReason", reason);
}

/// The event's own object with context alone, if there is any.
fn context_of(answer: &mut Object<'_>, event: &facts::Event, context: Option<Text>) -> Result<(), Error> {
    if let Some(context) = context {
        let mut specific = specific_output(answer, event);
        specific.string("additionalContext", &context.within(text::LIMIT)?);
        specific.end();
    }
    Ok(())
}

/// A text, if there is one, as far as the client takes it.
#[inline(never)]
fn optional_text(object: &mut Object<'_>, name: &str, text: Option<Text>, limit: usize) -> Result<(), Error> {
    if let Some(text) = text {
        object.string(name, &text.within(limit)?);
    }
    Ok(())
}

/// Opens `hookSpecificOutput`.
///
/// The client voids an answer whose `hookEventName` is missing or another event's, unless it also blocks at the top.
fn specific_output<'o>(answer: &'o mut Object<'_>, event: &facts::Event) -> Object<'o> {
    // At once: it is in most answers, and has nothing to escape.
    answer.begun([r#""hookSpecificOutput":{"hookEventName":""#, event.name, "\""])
}

/// What is printed as it is. The client takes what begins with a brace for an answer in JSON, or for a broken one.
fn plain(text: Text) -> Result<Response, Error> {
    let stdout = text.within(text::LIMIT)?;
    if stdout.trim_start().starts_with('{') {
        return Err(Error::msg(
            "a text that begins with `{` cannot be given to the client as plain text: put a word in front",
        ));
    }
    Ok(Response {
        stdout: stdout.into_bytes(),
        ..Response::default()
    })
}

#[cfg(test)]
mod tests;
