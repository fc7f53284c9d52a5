//! The answers to what happens in a team of agents, and to its tasks.

use super::{Answer, Extras, answer, block, stop, with};
use crate::event::{TaskCompleted, TaskCreated, TeammateIdle};
use crate::{Error, OnFailure, Payload, Response};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Block(String),
    Stop(String),
}

fn decided(decision: Option<&Decision>, extras: Extras) -> Result<Response, Error> {
    answer(|answer| {
        match decision {
            Some(Decision::Block(reason)) => block(answer, reason),
            Some(Decision::Stop(reason)) => stop(answer, reason),
            None => {}
        }
        extras.write(answer)
    })
}

fn blocked(decision: Option<&Decision>) -> Option<&str> {
    match decision {
        Some(Decision::Block(reason)) => Some(reason),
        _ => None,
    }
}

/// The answer to [`TeammateIdle`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TeammateIdleAnswer {
    decision: Option<Decision>,
    extras: Extras,
}

impl TeammateIdleAnswer {
    /// The member goes idle.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The member goes on working. Its model reads the reason. Untested: no headless session shows it.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block(reason.into()))
    }

    /// The member is stopped (`continue: false`). The user reads the reason. Untested: no headless session shows it.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    with!(system_message_unseen);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<TeammateIdle> for TeammateIdleAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        decided(self.decision.as_ref(), self.extras)
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}

/// The answer to [`TaskCreated`]. A hook on [`TaskCompleted`], too, can give it on both.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskCreatedAnswer {
    decision: Option<Decision>,
    extras: Extras,
}

impl TaskCreatedAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The task is not created; on TaskCompleted it stays open. The model reads the reason as what became of its call.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            decision: Some(Decision::Block(reason.into())),
            ..Self::default()
        }
    }

    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<TaskCreated> for TaskCreatedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        decided(self.decision.as_ref(), self.extras)
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}

impl Answer<TaskCompleted> for TaskCreatedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        decided(self.decision.as_ref(), self.extras)
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}

/// The answer to [`TaskCompleted`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskCompletedAnswer {
    decision: Option<Decision>,
    extras: Extras,
}

impl TaskCompletedAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The task stays open. The model reads the reason as what became of its call.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block(reason.into()))
    }

    /// The member of a team whose turn ends with the task is stopped (`continue: false`), and the user reads the
    /// reason.
    /// Where the model calls TaskUpdate it has no effect. Untested: no headless session shows it.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    /// Adds a message that the user reads, at the end of a team member's turn (`systemMessage`). Where the model calls
    /// TaskUpdate it has no effect. Untested: no headless session shows it.
    pub fn with_system_message(mut self, message: impl Into<super::Text>) -> Self {
        self.extras.get().system_message = Some(message.into());
        self
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<TaskCompleted> for TaskCompletedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        decided(self.decision.as_ref(), self.extras)
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}
