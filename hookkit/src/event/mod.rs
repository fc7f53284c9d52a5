//! The events, as a handler gets them.
//!
//! Each type holds the fields of its own event; what all events have in common is in [`Context`](crate::Context), which
//! a handler takes next to it.
//! Fields that a type does not name are not decoded at all: a handler that wants them takes the whole payload as
//! [`Json`](crate::Json), and one that is called on several events takes [`AnyEvent`].
//!
//! The events of a tool's call ([`PreToolUse`] and four others) are typed by the [tool](crate::tool).
//! Sets of words to which the client adds are enums whose last variant, `Other`, keeps what is not known here.
//!
//! All facts about the client are those of 2.1.330.

use hookkit_protocol::event as facts;

use crate::json::{PayloadProjection, Projection};
use crate::{Error, FromInput, Payload};

mod any;
mod call;
mod compact;
mod elicitation;
mod model;
mod prompt;
mod session;
mod team;
mod turn;
mod workspace;

pub use any::*;
pub use call::*;
pub use compact::*;
pub use elicitation::*;
pub use model::*;
pub use prompt::*;
pub use session::*;
pub use team::*;
pub use turn::*;
pub use workspace::*;

/// One of the client's events.
///
/// Implemented by the event types of this module; it cannot be implemented elsewhere, since the client's events are
/// what they are.
pub trait Event: sealed::Sealed {
    /// Facts about the event.
    const FACTS: &'static facts::Event;
}

/// A type that holds an event's fields: what [`AnyEvent::get`] can be asked for.
///
/// Every event type is one; those of a tool's call are it for any tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "write an event's type, and for a tool event the tool, too: `event.get::<PreToolUse<tool::Bash>>()`"
)]
pub trait TypedEvent: FromInput<Self::Event> + sealed::Sealed {
    /// The event whose fields it holds.
    type Event: Event;
}

/// An event on which the client gives a file for variables, so that a handler can take [`EnvFile`](crate::EnvFile):
/// [`SessionStart`], [`Setup`], [`CwdChanged`] and [`FileChanged`].
#[diagnostic::on_unimplemented(
    message = "the client gives a hook on `{Self}` no file for variables",
    label = "`EnvFile` is not an argument for this event",
    note = "it does on `SessionStart`, `Setup`, `CwdChanged` and `FileChanged`"
)]
pub trait GivesEnvFile: Event {}

/// An event on which a hook may say nothing: every one but [`WorktreeCreate`].
#[diagnostic::on_unimplemented(
    message = "a hook on `{Self}` has to answer: to say nothing is to fail",
    label = "not an answer of this event",
    note = "it does the work in the client's place, and returns where it is done: `WorktreeCreateAnswer`"
)]
pub trait MayPass: Event {}

/// An event of which the model reads what a hook adds (`additionalContext`), without the hook changing its course.
#[diagnostic::on_unimplemented(
    message = "`ContextAnswer` is not an answer that a hook on `{Self}` can give",
    label = "not an answer of this event",
    note = "the model would not read it, or on Stop go on because of it: return the event's own answer, or `()`"
)]
pub trait TakesContext: Event {}

/// An event on which the client honors what the user's terminal is to do (`terminalSequence`): every one on which it takes
/// an answer in JSON.
#[diagnostic::on_unimplemented(
    message = "`TerminalAnswer` is not an answer that a hook on `{Self}` can give",
    label = "not an answer of this event",
    note = "there the client takes the answer as plain text: return the event's own answer"
)]
pub trait TakesTerminalSequence: Event {}

/// An agent that is about to end its turn: [`Stop`] and [`SubagentStop`].
pub trait EndOfTurn: sealed::Sealed {
    /// Returns `true` if the turn goes on only because a hook held it before (`stop_hook_active`).
    fn is_held(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

/// Declares the events: each by its facts, and what a hook on it may take and answer.
macro_rules! events {
    ($($event:ident = $facts:ident: $($trait:ident)*;)*) => {
        /// The events alone, for the prelude.
        pub(crate) mod all {
            #[doc(inline)]
            pub use super::{$($event),*};
        }

        $(
            impl Event for $event {
                const FACTS: &'static facts::Event = &facts::$facts;
            }

            $(
                #[diagnostic::do_not_recommend]
                impl $trait for $event {}
            )*
        )*
    };
}

events! {
    ConfigChange = CONFIG_CHANGE: MayPass TakesTerminalSequence;
    CwdChanged = CWD_CHANGED: MayPass TakesTerminalSequence GivesEnvFile;
    DirectoryAdded = DIRECTORY_ADDED: MayPass TakesTerminalSequence;
    Elicitation = ELICITATION: MayPass TakesTerminalSequence;
    ElicitationResult = ELICITATION_RESULT: MayPass TakesTerminalSequence;
    FileChanged = FILE_CHANGED: MayPass TakesTerminalSequence GivesEnvFile;
    InstructionsLoaded = INSTRUCTIONS_LOADED: MayPass TakesTerminalSequence;
    MessageDisplay = MESSAGE_DISPLAY: MayPass TakesTerminalSequence;
    Notification = NOTIFICATION: MayPass TakesTerminalSequence;
    PermissionDenied = PERMISSION_DENIED: MayPass TakesTerminalSequence;
    PermissionRequest = PERMISSION_REQUEST: MayPass TakesTerminalSequence;
    PostCompact = POST_COMPACT: MayPass;
    PostModelSwitch = POST_MODEL_SWITCH: MayPass TakesTerminalSequence TakesContext;
    PostToolBatch = POST_TOOL_BATCH: MayPass TakesTerminalSequence TakesContext;
    PostToolUse = POST_TOOL_USE: MayPass TakesTerminalSequence TakesContext;
    PostToolUseFailure = POST_TOOL_USE_FAILURE: MayPass TakesTerminalSequence TakesContext;
    PreCompact = PRE_COMPACT: MayPass;
    PreModelSwitch = PRE_MODEL_SWITCH: MayPass TakesTerminalSequence;
    PreToolUse = PRE_TOOL_USE: MayPass TakesTerminalSequence TakesContext;
    SessionEnd = SESSION_END: MayPass TakesTerminalSequence;
    SessionStart = SESSION_START: MayPass TakesTerminalSequence TakesContext GivesEnvFile;
    Setup = SETUP: MayPass TakesTerminalSequence GivesEnvFile;
    Stop = STOP: MayPass TakesTerminalSequence;
    StopFailure = STOP_FAILURE: MayPass TakesTerminalSequence;
    SubagentStart = SUBAGENT_START: MayPass TakesTerminalSequence TakesContext;
    SubagentStop = SUBAGENT_STOP: MayPass TakesTerminalSequence;
    TaskCompleted = TASK_COMPLETED: MayPass TakesTerminalSequence;
    TaskCreated = TASK_CREATED: MayPass TakesTerminalSequence;
    TeammateIdle = TEAMMATE_IDLE: MayPass TakesTerminalSequence;
    UserPromptExpansion = USER_PROMPT_EXPANSION: MayPass TakesTerminalSequence TakesContext;
    UserPromptSubmit = USER_PROMPT_SUBMIT: MayPass TakesTerminalSequence TakesContext;
    WorktreeCreate = WORKTREE_CREATE:;
    WorktreeRemove = WORKTREE_REMOVE: MayPass TakesTerminalSequence;
}

/// Implements the decoding of events whose type is decoded from the whole payload.
macro_rules! decoded_as_a_whole {
    (#[$inline:meta] $($event:ident)*) => {$(
        impl sealed::Sealed for $event {}

        impl TypedEvent for $event {
            type Event = Self;
        }

        impl FromInput<$event> for $event {
            #[$inline]
            fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
                payload.decode()
            }

            #[$inline]
            fn projection(projection: &mut PayloadProjection) {
                projection.add(Projection::of::<Self>());
            }
        }
    )*};
}

// Compiled once, in this crate, which is worth its time for the events that many hooks are for.
decoded_as_a_whole! { #[inline(never)] Notification SessionStart Stop UserPromptSubmit }

// Compiled in the crate that uses it.
decoded_as_a_whole! {
    #[inline]
    ConfigChange CwdChanged DirectoryAdded Elicitation ElicitationResult FileChanged InstructionsLoaded MessageDisplay
    PostCompact PostModelSwitch PostToolBatch PreCompact PreModelSwitch SessionEnd Setup StopFailure SubagentStart
    SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion WorktreeCreate WorktreeRemove
}
