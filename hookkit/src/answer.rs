//! What a handler answers: a type per event, each with what the client does something with.
//!
//! Every event also takes `()`, for a hook that only looks on, and `Option` and `Result` of an answer.
//!
//! What the client does with an answer was seen in client 2.1.330, unless a method says otherwise.
//! Of a context longer than 10,000 UTF-16 units the model gets the beginning, and the path of a file with the rest.

use std::fmt;

use crate::event::{Event, PostToolUse, PreToolUse, SessionStart, Stop, UserPromptSubmit};
use crate::json::Object;
use crate::{Error, OnFailure, Response};

/// What a handler of event `E` may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer that a hook on `{E}` can give",
    label = "not an answer of this event",
    note = "a hook returns the answer of its own event (`PreToolUseAnswer` on `PreToolUse`), `()`, or an `Option` or `Result` of these"
)]
pub trait Answer<E: Event> {
    /// What happens to the action at hand when the hook fails instead of answering.
    const ON_FAILURE: OnFailure;

    /// The answer as the process gives it.
    ///
    /// # Errors
    ///
    /// When the handler's result is an error; the failure policy then decides.
    fn into_response(self) -> Result<Response, Error>;
}

/// No opinion: the client goes on as if there were no hook.
impl<E: Event> Answer<E> for () {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(Response::default())
    }
}

/// `None` is no opinion.
impl<E: Event, A: Answer<E>> Answer<E> for Option<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;

    fn into_response(self) -> Result<Response, Error> {
        self.map_or_else(|| Ok(Response::default()), A::into_response)
    }
}

/// An error goes to the failure policy, in full: `{:#}`, which for many error types shows their causes, too.
impl<E: Event, A: Answer<E>, X: fmt::Display> Answer<E> for Result<A, X> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;

    fn into_response(self) -> Result<Response, Error> {
        self.map_err(|err| Error::msg(format_args!("{err:#}")))?.into_response()
    }
}

/// The answer to [`PreToolUse`].
///
/// Of several hooks on one call the strictest counts: deny, then ask, then allow (client 2.1.330).
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreToolUseAnswer {
    decision: Option<(&'static str, Option<String>)>,
    context: Option<String>,
}

impl PreToolUseAnswer {
    /// No opinion: the permission rules decide, as if there were no hook. It is not [`allow`](Self::allow).
    pub fn pass() -> Self {
        Self::default()
    }

    /// The tool runs without asking the user. Rules in the settings that deny or ask still hold.
    pub fn allow() -> Self {
        Self::decide("allow", None)
    }

    /// The tool does not run, in any permission mode. The model reads the reason as the tool's error.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide("deny", Some(reason.into()))
    }

    /// The user is asked, and reads the reason. Where nobody can be asked the tool does not run, and the model reads it.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide("ask", Some(reason.into()))
    }

    fn decide(decision: &'static str, reason: Option<String>) -> Self {
        Self {
            decision: Some((decision, reason)),
            context: None,
        }
    }

    /// No decision; the model reads the text beside the tool's result (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the tool's result, whether the tool ran or not (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.context = Some(text.into());
        self
    }

    pub(crate) fn to_response(&self) -> Response {
        if *self == Self::pass() {
            return Response::default();
        }
        Response::json(|answer| {
            let mut specific = specific_output::<PreToolUse>(answer);
            if let Some((decision, reason)) = &self.decision {
                specific.string("permissionDecision", decision);
                specific.optional_string("permissionDecisionReason", reason.as_deref());
            }
            specific.optional_string("additionalContext", self.context.as_deref());
            specific.end();
        })
    }
}

impl Answer<PreToolUse> for PreToolUseAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    fn into_response(self) -> Result<Response, Error> {
        Ok(self.to_response())
    }
}

/// The answer to [`PostToolUse`]. The tool has run; nothing that it did is undone.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostToolUseAnswer {
    block: Option<String>,
    context: Option<String>,
}

impl PostToolUseAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the reason as a blocking error of the hook, with the hook's command line, beside the tool's
    /// unchanged result.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            block: Some(reason.into()),
            context: None,
        }
    }

    /// The model reads the text beside the tool's result (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self {
            block: None,
            context: Some(text.into()),
        }
    }

    /// Adds text that the model reads beside the tool's result (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<String>) -> Self {
        self.context = Some(text.into());
        self
    }
}

impl Answer<PostToolUse> for PostToolUseAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<PostToolUse>(
            self.block.as_deref(),
            self.context.as_deref(),
        ))
    }
}

/// The answer to [`UserPromptSubmit`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserPromptSubmitAnswer {
    block: Option<String>,
    context: Option<String>,
}

impl UserPromptSubmitAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The prompt is dropped. The user reads the reason, the model nothing.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            block: Some(reason.into()),
            context: None,
        }
    }

    /// The model reads the text beside the prompt (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self {
            block: None,
            context: Some(text.into()),
        }
    }
}

impl Answer<UserPromptSubmit> for UserPromptSubmitAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<UserPromptSubmit>(
            self.block.as_deref(),
            self.context.as_deref(),
        ))
    }
}

/// The answer to [`SessionStart`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionStartAnswer {
    context: Option<String>,
}

impl SessionStartAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the text before the first prompt (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self {
            context: Some(text.into()),
        }
    }
}

impl Answer<SessionStart> for SessionStartAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<SessionStart>(None, self.context.as_deref()))
    }
}

/// The answer to [`Stop`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopAnswer {
    block: Option<String>,
}

impl StopAnswer {
    /// The turn ends.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The turn goes on, unless it already goes on because of a Stop hook. The model reads the reason.
    ///
    /// This is what nearly every Stop hook wants: it holds once, and cannot loop.
    pub fn block_once(stop: &Stop, reason: impl Into<String>) -> Self {
        if stop.stop_hook_active {
            Self::pass()
        } else {
            Self::block(reason)
        }
    }

    /// The turn goes on, each time. The model reads the reason as `Stop hook feedback`, together with the hook's command
    /// line.
    ///
    /// The client obeys eight times in a row, then ends the turn (client 2.1.330).
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            block: Some(reason.into()),
        }
    }
}

impl Answer<Stop> for StopAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<Stop>(self.block.as_deref(), None))
    }
}

/// The shape that most events share: `decision` and `reason` at the top, context in the event's own object.
fn block_or_context<E: Event>(block: Option<&str>, context: Option<&str>) -> Response {
    if block.is_none() && context.is_none() {
        return Response::default();
    }
    Response::json(|answer| {
        if let Some(reason) = block {
            answer.string("decision", "block");
            answer.string("reason", reason);
        }
        if let Some(text) = context {
            let mut specific = specific_output::<E>(answer);
            specific.string("additionalContext", text);
            specific.end();
        }
    })
}

/// Opens `hookSpecificOutput`. The client voids an answer whose `hookEventName` is missing or another event's.
fn specific_output<'o, E: Event>(answer: &'o mut Object<'_>) -> Object<'o> {
    let mut specific = answer.object("hookSpecificOutput");
    specific.string("hookEventName", E::FACTS.name);
    specific
}
