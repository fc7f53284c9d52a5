//! The answers of a hook on several events.

use super::{Answer, TerminalSequence, Text, answer, block_or_context};
use crate::answer::Extras;
use crate::event::{TakesContext, TakesTerminalSequence};
use crate::{Error, OnFailure, Payload, Response};

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
    context: Option<Text>,
}

impl ContextAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the text (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self {
            context: Some(text.into()),
        }
    }
}

impl<E: TakesContext> Answer<E> for ContextAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        block_or_context(E::FACTS, None, self.context, Extras::default())
    }
}

/// What the user's terminal is to do, and nothing else: the answer of a hook on several events, and the only one to
/// some.
///
/// ```
/// use hookkit::answer::TerminalSequence;
/// use hookkit::prelude::*;
///
/// /// Rings when the model is done, and when it waits for somebody.
/// #[hook(Stop | Notification)]
/// pub fn ring() -> TerminalAnswer {
///     TerminalAnswer::terminal_sequence(TerminalSequence::bell())
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TerminalAnswer {
    terminal_sequence: Option<TerminalSequence>,
}

impl TerminalAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The user's terminal does it (`terminalSequence`). There is one in an interactive session only.
    pub fn terminal_sequence(sequence: TerminalSequence) -> Self {
        Self {
            terminal_sequence: Some(sequence),
        }
    }
}

impl<E: TakesTerminalSequence> Answer<E> for TerminalAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        sequence(self.terminal_sequence)
    }
}

/// It is the same on every event, and compiled once.
fn sequence(sequence: Option<TerminalSequence>) -> Result<Response, Error> {
    answer(|answer| {
        if let Some(sequence) = &sequence {
            answer.string("terminalSequence", sequence.as_str());
        }
        Ok(())
    })
}
