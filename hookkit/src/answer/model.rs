//! The answers to a change of the session's model.

use super::{Answer, Extras, Text, answer, block_or_context, specific_output, with};
use crate::event::{Event, PostModelSwitch, PreModelSwitch};
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`PreModelSwitch`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreModelSwitchAnswer {
    decision: Option<(&'static str, Option<String>)>,
    extras: Extras,
}

impl PreModelSwitchAnswer {
    /// No opinion: the client asks the user if it would without a hook.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The session takes the model, and the client does not ask the user. Untested: no headless session shows it.
    pub fn allow() -> Self {
        Self::decide("allow", None)
    }

    /// As `allow`, with a reason. Untested: no headless session shows it.
    pub fn allow_with_reason(reason: impl Into<String>) -> Self {
        Self::decide("allow", Some(reason.into()))
    }

    /// The session keeps its model. The user reads the reason, or the program that runs the client.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide("deny", Some(reason.into()))
    }

    /// The user is asked, and reads the reason. In print mode (`-p`) the session keeps its model. Of the question:
    /// Untested: no headless session shows it.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide("ask", Some(reason.into()))
    }

    fn decide(decision: &'static str, reason: Option<String>) -> Self {
        Self {
            decision: Some((decision, reason)),
            ..Self::default()
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<PreModelSwitch> for PreModelSwitchAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            self.extras.write(answer)?;
            if let Some((decision, reason)) = &self.decision {
                let mut specific = specific_output(answer, PreModelSwitch::FACTS);
                specific.string("permissionDecision", decision);
                specific.optional_string("permissionDecisionReason", reason.as_deref());
                specific.end();
            }
            Ok(())
        })
    }

    fn refusal(&self) -> Option<&str> {
        match &self.decision {
            Some(("deny", reason)) => reason.as_deref(),
            _ => None,
        }
    }
}

/// The answer to [`PostModelSwitch`]. The session has the model.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostModelSwitchAnswer {
    context: Option<Text>,
    extras: Extras,
}

impl PostModelSwitchAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The new model reads the text with its first request (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self {
            context: Some(text.into()),
            ..Self::default()
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<PostModelSwitch> for PostModelSwitchAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        block_or_context(PostModelSwitch::FACTS, None, self.context, self.extras)
    }
}
