//! The events, as a handler gets them.
//!
//! Each type holds the fields of its own event; what all events have in common is in [`Context`](crate::Context), which
//! a handler takes beside it.
//! Fields that a type does not name are not decoded at all: a handler that wants them takes the whole payload as
//! [`Json`](crate::Json), and one that is called on several events takes [`AnyEvent`].
//!
//! The events of a tool's call ([`PreToolUse`] and four others) are typed by the [tool](crate::tool).
//! Sets of words to which the client adds are enums whose last variant, `Other`, keeps what is not known here.
//!
//! What is said of the client is what 2.1.330 does.

use hookkit_protocol::event as facts;

use crate::FromInput;

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
    /// What the client does with the event.
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

/// An event on which the client heeds what the user's terminal is to do (`terminalSequence`): every one on which it takes
/// an answer in JSON.
#[diagnostic::on_unimplemented(
    message = "`TerminalAnswer` is not an answer that a hook on `{Self}` can give",
    label = "not an answer of this event",
    note = "there the client takes the answer as plain text: return the event's own answer"
)]
pub trait TakesTerminalSequence: Event {}

/// An agent that is about to end its turn: [`Stop`] and [`SubagentStop`].
pub trait EndOfTurn: sealed::Sealed {
    /// Whether the turn goes on only because a hook held it before (`stop_hook_active`).
    fn is_held(&self) -> bool;
}

mod sealed {
    pub trait Sealed {}
}

/// Declares an event of the facts table whose type is decoded from the whole payload.
///
/// It is compiled in the crate that uses it; `compiled here` once, in this one, which is worth its time for the events
/// that many hooks are for. On one `with an answer` a hook has to answer, on one that is `answered by plain text` not by JSON.
macro_rules! event {
    ($event:ident = $facts:ident, compiled here) => {
        $crate::event::event! { @declare $event = $facts, #[inline(never)] }
    };
    ($event:ident = $facts:ident) => {
        $crate::event::event! { @declare $event = $facts, #[inline] }
    };
    ($event:ident = $facts:ident, answered by plain text) => {
        $crate::event::event! { @type $event = $facts, #[inline] }

        #[diagnostic::do_not_recommend]
        impl $crate::event::MayPass for $event {}
    };
    ($event:ident = $facts:ident, with an answer) => {
        $crate::event::event! { @type $event = $facts, #[inline] }
    };
    (@declare $event:ident = $facts:ident, #[$inline:meta]) => {
        $crate::event::event! { @type $event = $facts, #[$inline] }

        #[diagnostic::do_not_recommend]
        impl $crate::event::MayPass for $event {}

        #[diagnostic::do_not_recommend]
        impl $crate::event::TakesTerminalSequence for $event {}
    };
    (@type $event:ident = $facts:ident, #[$inline:meta]) => {
        impl $crate::event::sealed::Sealed for $event {}

        impl $crate::event::Event for $event {
            const FACTS: &'static hookkit_protocol::event::Event = &hookkit_protocol::event::$facts;
        }

        impl $crate::event::TypedEvent for $event {
            type Event = Self;
        }

        impl $crate::FromInput<$event> for $event {
            #[$inline]
            fn from_input(payload: &$crate::Payload<'_>) -> Result<Self, $crate::Error> {
                payload.decode()
            }

            #[$inline]
            fn wants(wants: &mut $crate::json::PayloadWants) {
                wants.add($crate::json::Wants::of::<Self>());
            }
        }
    };
}

use event;
