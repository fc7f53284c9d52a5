//! The answers to the end of a turn, and to the beginning of a subagent.

use super::{Answer, Extras, Text, answer, block, block_or_context, context_of, stop, with};
use crate::event::{EndOfTurn, Event, Stop, SubagentStart, SubagentStop};
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`Stop`], and to [`SubagentStop`], where it is the subagent that goes on or ends.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopAnswer {
    decision: Option<Decision>,
    extras: Extras,
}

/// The answer to [`SubagentStop`]: the same as to [`Stop`].
pub type SubagentStopAnswer = StopAnswer;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Block(String),
    Context(Text),
    Stop(String),
}

impl StopAnswer {
    /// The turn ends.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The turn goes on, unless it already goes on because of such a hook. The model reads the reason.
    ///
    /// This is what nearly every Stop hook wants: it holds once, and cannot loop.
    pub fn block_once(event: &impl EndOfTurn, reason: impl Into<String>) -> Self {
        if event.is_held() {
            Self::pass()
        } else {
            Self::block(reason)
        }
    }

    /// The turn goes on, each time. The model reads the reason as `Stop hook feedback`, together with the hook's
    /// command line.
    ///
    /// The client obeys eight times in a row, then ends the turn (client 2.1.330).
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block(reason.into()))
    }

    /// The turn goes on, unless it already goes on because of such a hook. The model reads the text as a reminder, not
    /// as an error (`additionalContext`).
    pub fn context_once(event: &impl EndOfTurn, text: impl Into<Text>) -> Self {
        if event.is_held() {
            Self::pass()
        } else {
            Self::context(text)
        }
    }

    /// The turn goes on, each time. The model reads the text as a reminder, not as an error (`additionalContext`, since
    /// client 2.1.163).
    ///
    /// The client counts it as a [`block`](Self::block): it obeys eight times in a row.
    pub fn context(text: impl Into<Text>) -> Self {
        Self::decide(Decision::Context(text.into()))
    }

    /// The turn ends, even where another hook blocks (`continue: false`). The model reads the reason with the next prompt;
    /// that of a subagent's turn has no reader.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    /// Adds a message that the user reads; the model does not (`systemMessage`).
    /// At a subagent's end: Untested: no headless session shows it.
    pub fn with_system_message(mut self, message: impl Into<Text>) -> Self {
        self.extras.get().system_message = Some(message.into());
        self
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    fn response<E: Event>(self) -> Result<Response, Error> {
        answer(|answer| {
            match &self.decision {
                Some(Decision::Block(reason)) => block(answer, reason),
                Some(Decision::Stop(reason)) => stop(answer, reason),
                _ => {}
            }
            self.extras.write(answer)?;
            match self.decision {
                Some(Decision::Context(context)) => context_of(answer, E::FACTS, Some(context)),
                _ => Ok(()),
            }
        })
    }

    fn blocked(&self) -> Option<&str> {
        match &self.decision {
            Some(Decision::Block(reason)) => Some(reason),
            _ => None,
        }
    }

    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<Stop> for StopAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response::<Stop>()
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked()
    }
}

impl Answer<SubagentStop> for StopAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response::<SubagentStop>()
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked()
    }
}

/// The answer to [`SubagentStart`]. The subagent starts, whatever it says.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubagentStartAnswer {
    context: Option<Text>,
    extras: Extras,
}

impl SubagentStartAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The subagent's model reads the text before its task (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self {
            context: Some(text.into()),
            ..Self::default()
        }
    }

    with!(system_message_unseen);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<SubagentStart> for SubagentStartAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        block_or_context(SubagentStart::FACTS, None, self.context, self.extras)
    }
}
