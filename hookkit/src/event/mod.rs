//! The events that handlers receive.
//!
//! Each type has the fields of its own event; fields that all events share are in [`Context`](crate::Context), another
//! argument of a handler. Fields that a type does not declare are not decoded: to read them, take the whole payload as
//! [`Json`](crate::Json). A handler for several events takes [`AnyEvent`].
//!
//! The events of a tool call ([`PreToolUse`] and five others) are generic over the [tool](crate::tool).
//! Enums of the client's words have a last variant, `Other`, that keeps words unknown to this version of hookkit.
//!
//! The docs describe client 2.1.332.

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
mod skill;
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
pub use skill::*;
pub use team::*;
pub use turn::*;
pub use workspace::*;

/// One of the client's events.
///
/// This trait is sealed: the event types of this module implement it.
pub trait Event: sealed::Sealed {
    /// Facts about the event and how the client treats it.
    const FACTS: &'static facts::Event;
}

/// A type with an event's fields, for [`AnyEvent::get`].
///
/// Every event type implements it. The events of a tool call implement it for every tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "name an event type; a tool event also needs its tool: `event.get::<PreToolUse<tool::Bash>>()`"
)]
pub trait TypedEvent: FromInput<Self::Event> + sealed::Sealed {
    /// The event.
    type Event: Event;
}

/// An event for which the client provides a file for variables ([`EnvFile`](crate::EnvFile)): [`SessionStart`],
/// [`Setup`], [`CwdChanged`] and [`FileChanged`].
#[diagnostic::on_unimplemented(
    message = "the client does not provide a file for variables on `{Self}`",
    label = "`EnvFile` is not available on this event",
    note = "`EnvFile` is available on `SessionStart`, `Setup`, `CwdChanged` and `FileChanged`"
)]
pub trait GivesEnvFile: Event {}

/// An event on which a hook may return nothing: every event except [`WorktreeCreate`].
#[diagnostic::on_unimplemented(
    message = "a hook on `{Self}` must return an answer: the client treats an empty output as a failure",
    label = "not an answer of this event",
    note = "the hook creates the worktree instead of the client, and returns its path: `WorktreeCreateAnswer`"
)]
pub trait MayPass: Event {}

/// An event on which a hook can add context for the model (`additionalContext`) without any other effect.
#[diagnostic::on_unimplemented(
    message = "a hook on `{Self}` cannot return `ContextAnswer`",
    label = "not an answer of this event",
    note = "on this event the model does not read context, and on Stop context makes it continue: return the event's own answer, or `()`"
)]
pub trait TakesContext: Event {}

/// An event on which the client honors a terminal sequence (`terminalSequence`): every event whose answer is JSON.
#[diagnostic::on_unimplemented(
    message = "a hook on `{Self}` cannot return `TerminalAnswer`",
    label = "not an answer of this event",
    note = "the client reads the answer to this event as plain text: return the event's own answer"
)]
pub trait TakesTerminalSequence: Event {}

/// An agent that is about to end its turn: [`Stop`] and [`SubagentStop`].
pub trait EndOfTurn: sealed::Sealed {
    /// Returns `true` if the agent is continuing because a hook blocked the end of its turn before
    /// (`stop_hook_active`).
    fn is_held(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

/// Declares the events: their facts, and the traits that decide which arguments and answers a hook can have.
macro_rules! events {
    ($($event:ident = $facts:ident: $($trait:ident)*;)*) => {
        /// The event types, for the prelude.
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
    PreSkillShellCommand = PRE_SKILL_SHELL_COMMAND: MayPass TakesTerminalSequence;
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

/// Implements the events decoded from the whole payload.
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

// Compiled once, in this crate: many hooks are for these events.
decoded_as_a_whole! { #[inline(never)] Notification SessionStart Stop UserPromptSubmit }

// Compiled in the crate that uses them.
decoded_as_a_whole! {
    #[inline]
    ConfigChange CwdChanged DirectoryAdded Elicitation ElicitationResult FileChanged InstructionsLoaded MessageDisplay
    PostCompact PostModelSwitch PostToolBatch PreCompact PreModelSwitch SessionEnd Setup StopFailure SubagentStart
    SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion WorktreeCreate WorktreeRemove
}
