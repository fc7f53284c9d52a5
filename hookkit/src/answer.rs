//! What a handler answers: a type per event, each with what the client does something with.
//!
//! Every event also takes `()`, for a hook that only looks on, and `Option` and `Result` of an answer.
//! A hook on several events answers what each of them takes: `()`, or [`ContextAnswer`].
//! One that nobody waits for returns an [`AsyncAnswer`] or a [`RewakeAnswer`].
//!
//! What the client does with an answer was seen in client 2.1.330, unless a method says otherwise.
//! Of a context longer than 10,000 UTF-16 units the model gets the beginning, and the path of a file with the rest.

use std::fmt;
use std::marker::PhantomData;

use hookkit_protocol::event::{self as facts, Refusal};

use crate::event::{Event, PostToolUse, PreToolUse, SessionStart, Stop, TakesContext, UserPromptSubmit};
use crate::json::Object;
use crate::{Error, OnFailure, Response};

/// What a handler of event `E` may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer that a hook on `{E}` can give",
    label = "not an answer of this event",
    note = "a hook returns the answer of its own event (`PreToolUseAnswer` on `PreToolUse`), `()`, or an `Option` or `Result` of these",
    note = "one on several events returns what each of them takes, as `ContextAnswer` or `()`; one that is `async` returns `AsyncAnswer`, one that is `async_rewake` returns `RewakeAnswer`, since nobody waits for their decision"
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

/// Text for the model, and nothing else: the answer of a hook on several events.
///
/// Taken by the events whose `additionalContext` the model reads beside what happened.
/// Stop and SubagentStop are not among them: there it makes the turn go on.
///
/// ```
/// use hookkit::answer::ContextAnswer;
/// use hookkit::prelude::*;
///
/// /// Tells the model which branch it is on.
/// #[hook(SessionStart | UserPromptSubmit)]
/// pub fn branch(context: Context) -> Result<ContextAnswer, Error> {
///     let head = std::fs::read_to_string(context.project_dir.join(".git/HEAD"))?;
///     Ok(ContextAnswer::context(format!("HEAD is {}", head.trim())))
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextAnswer {
    context: Option<String>,
}

impl ContextAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the text (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self {
            context: Some(text.into()),
        }
    }
}

impl<E: TakesContext> Answer<E> for ContextAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<E>(None, self.context.as_deref()))
    }
}

/// An event whose hooks the client does not wait for: `async`.
///
/// It is what an [`Answer`] is for, and never a value.
#[derive(Debug)]
pub struct Async<E>(PhantomData<E>);

/// An event whose hooks the client does not wait for, and which can wake the model: `async_rewake`.
///
/// It is what an [`Answer`] is for, and never a value.
#[derive(Debug)]
pub struct AsyncRewake<E>(PhantomData<E>);

/// The answer of a hook that is `async`, on any event: the client has gone on when it comes.
///
/// Decisions, and whatever else an event's own answer can say, would be lost.
/// At the end of a session in print mode the client cancels what still runs (client 2.1.330).
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Tells the model of new findings, when they are there.
/// #[hook(PostToolUse, matcher = "Edit|Write", async)]
/// pub fn check(_: PostToolUse<tool::FileChange>) -> AsyncAnswer {
///     AsyncAnswer::context("the linter found nothing")
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AsyncAnswer {
    context: Option<String>,
}

impl AsyncAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the text with its next request (`additionalContext`).
    pub fn context(text: impl Into<String>) -> Self {
        Self {
            context: Some(text.into()),
        }
    }
}

impl<E: Event> Answer<Async<E>> for AsyncAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<E>(None, self.context.as_deref()))
    }
}

/// The answer of a hook that is `async_rewake`, on any event: the client has gone on when it comes, and the model may be
/// idle.
///
/// In print mode (`-p`) the client waits for such hooks, and takes what would wake the model for a refusal: on PreToolUse
/// the call does not run (client 2.1.330).
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewakeAnswer {
    wake: Option<String>,
}

impl RewakeAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Wakes the model, which reads the text as a reminder.
    pub fn wake(text: impl Into<String>) -> Self {
        Self {
            wake: Some(text.into()),
        }
    }
}

impl<E: Event> Answer<AsyncRewake<E>> for RewakeAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(match self.wake {
            None => Response::default(),
            Some(stderr) => Response {
                stderr,
                exit_code: 2,
                ..Response::default()
            },
        })
    }
}

/// How a hook on this event refuses what it announces, whatever its handler would have answered.
pub(crate) fn refusal(event: &facts::Event, reason: &str) -> Response {
    let specific = |write: &dyn Fn(&mut Object<'_>)| {
        Response::json(|answer| {
            let mut specific = answer.object("hookSpecificOutput");
            specific.string("hookEventName", event.name);
            write(&mut specific);
            specific.end();
        })
    };
    match event.refusal {
        // Whatever is on stdout would be taken for a path.
        Refusal::Impossible | Refusal::Fail => Response::default(),
        Refusal::Block => refusal_at_the_top(reason),
        Refusal::Deny => specific(&|specific| {
            specific.string("permissionDecision", "deny");
            specific.string("permissionDecisionReason", reason);
        }),
        Refusal::DenyRequest => specific(&|specific| deny_request(specific, reason)),
    }
}

fn refusal_at_the_top(reason: &str) -> Response {
    Response::json(|answer| {
        answer.string("decision", "block");
        answer.string("reason", reason);
    })
}

/// How a hook refuses on whichever event it was called, which it could not find out.
///
/// Beside a refusal at the top the client drops the object of another event. PermissionRequest heeds nothing but its own
/// (client 2.1.330).
pub(crate) fn refusal_of_any(reason: &str) -> Response {
    Response::json(|answer| {
        answer.string("decision", "block");
        answer.string("reason", reason);
        let mut specific = answer.object("hookSpecificOutput");
        specific.string("hookEventName", facts::PERMISSION_REQUEST.name);
        deny_request(&mut specific, reason);
        specific.end();
    })
}

fn deny_request(specific: &mut Object<'_>, message: &str) {
    let mut decision = specific.object("decision");
    decision.string("behavior", "deny");
    decision.string("message", message);
    decision.end();
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
