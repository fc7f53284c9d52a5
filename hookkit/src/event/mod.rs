//! The events, as a handler gets them.
//!
//! Each type holds the fields of its own event; what all events have in common is in [`Context`](crate::Context), which
//! a handler takes beside it.
//! Fields that a type does not name are not decoded at all.
//!
//! What is said of the client is what 2.1.330 does.

use std::borrow::Cow;

use hookkit_protocol::event as facts;
use serde::Deserialize;

use crate::answer::{Async, AsyncRewake};
use crate::json::{PayloadWants, Wants};
use crate::tool::{Tool, ToolInput};
use crate::{Error, FromInput, Json, Payload};

/// One of the client's events.
///
/// Implemented by the event types of this module; it cannot be implemented elsewhere, since the client's events are
/// what they are.
pub trait Event: sealed::Sealed {
    /// What the client does with the event.
    const FACTS: &'static facts::Event;
}

mod sealed {
    pub trait Sealed {}
}

/// An event of which the model reads what a hook adds (`additionalContext`), without the hook changing its course.
#[diagnostic::on_unimplemented(
    message = "the model reads no context from a hook on `{Self}`, or goes on because of it",
    label = "its hooks have an answer of their own, or `()`"
)]
pub trait TakesContext: Event {}

impl TakesContext for PreToolUse {}
impl TakesContext for PostToolUse {}
impl TakesContext for UserPromptSubmit {}
impl TakesContext for SessionStart {}

// What nobody waits for are the same events, with other answers.
macro_rules! unwaited {
    ($($mode:ident)*) => {$(
        impl<E: Event> sealed::Sealed for $mode<E> {}
        impl<E: Event> Event for $mode<E> {
            const FACTS: &'static facts::Event = E::FACTS;
        }
    )*};
}

unwaited! { Async AsyncRewake }

macro_rules! events {
    ($($event:ident = $facts:ident;)*) => {$(
        impl sealed::Sealed for $event {}
        impl Event for $event {
            const FACTS: &'static facts::Event = &facts::$facts;
        }
    )*};
}

events! {
    PreToolUse = PRE_TOOL_USE;
    PostToolUse = POST_TOOL_USE;
    Notification = NOTIFICATION;
    UserPromptSubmit = USER_PROMPT_SUBMIT;
    SessionStart = SESSION_START;
    Stop = STOP;
}

/// A tool is about to run: its input is complete, its permissions are not yet checked.
///
/// The client does not raise it for input that breaks the tool's schema or that the tool itself rejects
/// (client 2.1.330).
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps pushes for the user.
/// #[hook(PreToolUse, matcher = "Bash")]
/// pub fn no_push(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     if call.input.command.starts_with("git push") {
///         PreToolUseAnswer::deny("pushing is left to the user")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PreToolUse<T = Json> {
    /// The tool by its current name; old names in a matcher arrive as the current one.
    pub tool_name: String,
    /// The tool's input (`tool_input`): what the model wrote, with the file paths of Read, Write and Edit made absolute.
    pub input: T,
    /// Ties this call to its PostToolUse. Sent since client 2.0.43.
    pub tool_use_id: Option<String>,
}

impl<T: ToolInput> PreToolUse<T> {
    /// A call, for a test.
    pub fn new(tool_name: &str, input: T) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            tool_use_id: None,
        }
    }
}

impl<T: ToolInput> FromInput<PreToolUse> for PreToolUse<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, tool_use_id } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |input| T::from_call(&tool_name, input))?,
            tool_name,
            tool_use_id,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(Call::WANTS);
        wants.add_member(INPUT, T::wants());
    }
}

/// A tool ran and succeeded.
///
/// A call that fails raises PostToolUseFailure instead; one that permissions stopped raises neither (client 2.1.330).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PostToolUse<T: Tool = Json> {
    /// The tool by its current name.
    pub tool_name: String,
    /// The input that ran (`tool_input`), after whatever hooks changed in it.
    pub input: T,
    /// What the tool gave back (`tool_response`): its structured output, not the text that the model reads.
    pub response: T::Response,
    /// Ties this call to its PreToolUse. Sent since client 2.0.43.
    pub tool_use_id: Option<String>,
}

impl<T: Tool> PostToolUse<T> {
    /// A call that succeeded, for a test.
    pub fn new(tool_name: &str, input: T, response: T::Response) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            response,
            tool_use_id: None,
        }
    }
}

impl<T: Tool> FromInput<PostToolUse> for PostToolUse<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, tool_use_id } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |input| T::from_call(&tool_name, input))?,
            tool_name,
            response: payload.decode_member(RESPONSE, T::response_from_json)?,
            tool_use_id,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(Call::WANTS);
        wants.add_member(INPUT, T::wants());
        wants.add_member(RESPONSE, T::response_wants());
    }
}

const TOOL_NAME: &str = "tool_name";
const INPUT: &str = "tool_input";
const RESPONSE: &str = "tool_response";
const TOOL_USE_ID: &str = "tool_use_id";

/// What the events of a tool's call have in common, apart from what depends on the tool.
///
/// Every hook on a call reads it: it is not left to a derive, which takes more instructions.
struct Call {
    tool_name: String,
    tool_use_id: Option<String>,
}

impl Call {
    #[inline(never)]
    fn of(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            tool_name: payload.string(TOOL_NAME)?.into_owned(),
            tool_use_id: payload.optional_string(TOOL_USE_ID)?.map(Cow::into_owned),
        })
    }

    const WANTS: Wants = Wants::Members(&[TOOL_NAME, TOOL_USE_ID]);
}

macro_rules! plain_events {
    ($($event:ident)*) => {$(
        impl FromInput<$event> for $event {
            // Compiled here, once, and not in every crate of hooks.
            #[inline(never)]
            fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
                payload.decode()
            }

            #[inline(never)]
            fn wants(wants: &mut PayloadWants) {
                wants.add(Wants::of::<Self>());
            }
        }
    )*};
}

plain_events! { Notification UserPromptSubmit SessionStart Stop }

/// The client wants the user's attention.
///
/// It reads nothing from the answer of such a hook but a terminal sequence (client 2.1.330), so a handler returns `()`.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Notification {
    /// What the user is told.
    pub message: String,
    /// A heading, where there is one.
    #[serde(default)]
    pub title: Option<String>,
    /// Why: `permission_prompt`, `idle_prompt`, … The matcher is compared with it.
    pub notification_type: String,
}

impl Notification {
    /// A notification, for a test.
    pub fn new(notification_type: &str, message: &str) -> Self {
        Self {
            message: message.to_owned(),
            notification_type: notification_type.to_owned(),
            ..Self::default()
        }
    }
}

/// The user submitted a prompt; the model has not seen it yet.
///
/// The client waits 30 s for such hooks, and lets the prompt through at a timeout.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct UserPromptSubmit {
    /// The prompt's text.
    pub prompt: String,
    /// The session's title, if it has one.
    #[serde(default)]
    pub session_title: Option<String>,
}

impl UserPromptSubmit {
    /// A prompt, for a test.
    pub fn new(prompt: &str) -> Self {
        Self {
            prompt: prompt.to_owned(),
            ..Self::default()
        }
    }
}

/// A session starts, is resumed, is cleared or was compacted.
///
/// The transcript's file need not exist yet.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct SessionStart {
    /// `startup`, `resume`, `clear`, `compact` or `fork`. The matcher is compared with it.
    pub source: String,
    /// The model's id.
    #[serde(default)]
    pub model: Option<String>,
    /// The session's title, if it has one.
    #[serde(default)]
    pub session_title: Option<String>,
}

impl SessionStart {
    /// A start, for a test.
    pub fn new(source: &str) -> Self {
        Self {
            source: source.to_owned(),
            ..Self::default()
        }
    }
}

/// The model is about to end its turn.
///
/// Not raised after an interruption by the user, nor after an API error.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Stop {
    /// Whether the turn goes on only because a Stop hook held it before.
    /// A hook that holds regardless of it holds until the client's cap, eight times in a row.
    pub stop_hook_active: bool,
    /// The text of the last assistant message. Sent since client 2.1.47.
    #[serde(default)]
    pub last_assistant_message: Option<String>,
}

impl Stop {
    /// The end of a turn, for a test.
    pub fn new(stop_hook_active: bool) -> Self {
        Self {
            stop_hook_active,
            ..Self::default()
        }
    }
}
