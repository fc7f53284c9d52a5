//! What a handler answers: a type per event, each with what the client does something with.
//!
//! Every event also takes `()`, for a hook that only looks on, and `Option` and `Result` of an answer.
//! A hook on several events answers what each of them takes: `()`, or [`ContextAnswer`].
//! One that nobody waits for returns an [`AsyncAnswer`] or a [`RewakeAnswer`].
//!
//! What the client does with an answer was seen in client 2.1.330, unless a method says otherwise.
//! Of a context longer than 10,000 UTF-16 units the model gets the beginning, and the path of a file with the rest.

use std::fmt;
use std::path::PathBuf;

use hookkit_protocol::event::{self as facts, Refusal};

use crate::event::{
    Event, MayPass, PostToolUse, PreToolUse, SessionStart, Stop, TakesContext, UserPromptSubmit, WorktreeCreate,
};
use crate::json::Object;
use crate::{Error, OnFailure, Response};

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

    /// The answer as the process gives it.
    ///
    /// # Errors
    ///
    /// When the handler's result is an error; the failure policy then decides.
    fn into_response(self) -> Result<Response, Error>;
}

/// How the client waits for a hook: it does, and heeds the answer.
#[doc(hidden)]
#[derive(Debug)]
pub enum Awaited {}

/// It goes on at once (`async`).
#[doc(hidden)]
#[derive(Debug)]
pub enum Async {}

/// It goes on at once, and can be woken (`async_rewake`).
#[doc(hidden)]
#[derive(Debug)]
pub enum AsyncRewake {}

/// No opinion: the client goes on as if there were no hook.
impl<E: MayPass, M> Answer<E, M> for () {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(Response::default())
    }
}

/// `None` is no opinion.
impl<E: MayPass, M, A: Answer<E, M>> Answer<E, M> for Option<A> {
    const ON_FAILURE: OnFailure = A::ON_FAILURE;

    fn into_response(self) -> Result<Response, Error> {
        self.map_or_else(|| Ok(Response::default()), A::into_response)
    }
}

/// An error goes to the failure policy, in full: `{:#}`, which for many error types shows their causes, too.
impl<E: Event, M, A: Answer<E, M>, X: fmt::Display> Answer<E, M> for Result<A, X> {
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
}

impl Answer<PreToolUse> for PreToolUseAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    fn into_response(self) -> Result<Response, Error> {
        if self == Self::pass() {
            return Ok(Response::default());
        }
        Ok(Response::json(|answer| {
            let mut specific = specific_output(answer, PreToolUse::FACTS);
            if let Some((decision, reason)) = &self.decision {
                specific.string("permissionDecision", decision);
                specific.optional_string("permissionDecisionReason", reason.as_deref());
            }
            specific.optional_string("additionalContext", self.context.as_deref());
            specific.end();
        }))
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

/// The answer to [`WorktreeCreate`]: the hook has made the worktree, and says where.
///
/// There is no other: a hook that says nothing, or fails, makes the creation fail.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeCreateAnswer {
    path: PathBuf,
}

impl WorktreeCreateAnswer {
    /// The worktree is in this folder, which is absolute, or below the session's directory.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Answer<WorktreeCreate> for WorktreeCreateAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    /// # Errors
    ///
    /// When the path is empty, or has a line break in it, so that the client would take another one.
    fn into_response(self) -> Result<Response, Error> {
        let stdout = self.path.into_os_string().into_encoded_bytes();
        // The client takes the last line that is not empty (2.1.330).
        if stdout.trim_ascii() != stdout || stdout.is_empty() || stdout.contains(&b'\n') {
            let path = String::from_utf8_lossy(&stdout);
            return Err(Error::msg(format_args!(
                "{path:?} cannot be given to the client as a path"
            )));
        }
        Ok(Response {
            stdout,
            ..Response::default()
        })
    }
}

/// Text for the model, and nothing else: the answer of a hook on several events.
///
/// Taken by the events whose `additionalContext` the model reads beside what happened.
/// Stop and SubagentStop are not among them: there it makes the turn go on.
///
/// ```
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

/// The answer of a hook that is `async`, on any event: the client has gone on when it comes.
///
/// Decisions, and whatever else an event's own answer can say, would be lost.
/// At the end of a session in print mode the client cancels what still runs (client 2.1.330).
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Looks at an edit at leisure.
/// #[hook(PostToolUse, async)]
/// pub fn look(call: PostToolUse<tool::FileChange>) -> Result<Option<AsyncAnswer>, Error> {
///     let text = std::fs::read_to_string(&call.input.file_path)?;
///     Ok(text.contains("TODO").then(|| AsyncAnswer::context("there are notes of things to do in it")))
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

impl<E: Event> Answer<E, Async> for AsyncAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(block_or_context::<E>(None, self.context.as_deref()))
    }
}

/// The answer of a hook that is `async_rewake`, on any event: the client has gone on when it comes, and the model may be
/// idle.
///
/// In print mode (`-p`) the client waits for such hooks, and takes what would wake the model for exit code 2 of any other
/// hook: on PreToolUse the call does not run, on UserPromptSubmit the prompt is dropped, on SessionStart nobody reads it
/// (client 2.1.330).
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

    /// Wakes the model, which reads the text as a reminder, behind everything that the hook has printed.
    pub fn wake(text: impl Into<String>) -> Self {
        Self {
            wake: Some(text.into()),
        }
    }
}

impl<E: Event> Answer<E, AsyncRewake> for RewakeAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self) -> Result<Response, Error> {
        Ok(match self.wake {
            None => Response::default(),
            // At the end of a turn the client takes an exit code 2 with empty stdout, and "no such file" or "can't open"
            // on stderr, for a script that is missing (client 2.1.330). A compiler says so, too.
            Some(stderr) => Response {
                stdout: b"stderr says why\n".to_vec(),
                stderr,
                exit_code: 2,
            },
        })
    }
}

/// How a hook on this event refuses what it announces, whatever its handler would have answered.
pub(crate) fn refusal(event: &facts::Event, reason: &str) -> Response {
    match event.refusal {
        Refusal::Impossible => Response::default(),
        // Whatever is on stdout would be taken for a path.
        Refusal::Fail => Response::default(),
        Refusal::Block => Response::json(|answer| block(answer, reason)),
        Refusal::Deny => Response::json(|answer| {
            let mut specific = specific_output(answer, event);
            specific.string("permissionDecision", "deny");
            specific.string("permissionDecisionReason", reason);
            specific.end();
        }),
        Refusal::DenyRequest => Response::json(|answer| deny_request(answer, reason)),
    }
}

/// Refuses on whichever of its events a hook was called: it could not find out which.
///
/// Beside a refusal at the top the client drops the object of another event. PermissionRequest heeds nothing but its own
/// (client 2.1.330).
pub(crate) fn refusal_of_any(reason: &str) -> Response {
    Response::json(|answer| {
        block(answer, reason);
        deny_request(answer, reason);
    })
}

fn block(answer: &mut Object<'_>, reason: &str) {
    answer.string("decision", "block");
    answer.string("reason", reason);
}

fn deny_request(answer: &mut Object<'_>, message: &str) {
    let mut specific = specific_output(answer, &facts::PERMISSION_REQUEST);
    let mut decision = specific.object("decision");
    decision.string("behavior", "deny");
    decision.string("message", message);
    decision.end();
    specific.end();
}

/// The shape that most events share: `decision` and `reason` at the top, context in the event's own object.
fn block_or_context<E: Event>(reason: Option<&str>, context: Option<&str>) -> Response {
    if reason.is_none() && context.is_none() {
        return Response::default();
    }
    Response::json(|answer| {
        if let Some(reason) = reason {
            block(answer, reason);
        }
        if let Some(text) = context {
            let mut specific = specific_output(answer, E::FACTS);
            specific.string("additionalContext", text);
            specific.end();
        }
    })
}

/// Opens `hookSpecificOutput`.
///
/// The client voids an answer whose `hookEventName` is missing or another event's, unless it also blocks at the top.
fn specific_output<'o>(answer: &'o mut Object<'_>, event: &facts::Event) -> Object<'o> {
    let mut specific = answer.object("hookSpecificOutput");
    specific.string("hookEventName", event.name);
    specific
}
