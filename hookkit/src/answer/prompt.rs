//! The answers to prompts, and to what is shown of the model's.

use super::{Answer, Extras, Text, answer, block, context_of, optional_text, specific_output, stop, text, with};
use crate::event::{Event, MessageDisplay, UserPromptExpansion, UserPromptSubmit};
use crate::{Error, OnFailure, Payload, Response};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Block { reason: String, suppress_prompt: bool },
    Stop(String),
}

/// The answer to [`UserPromptSubmit`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserPromptSubmitAnswer {
    decision: Option<Decision>,
    context: Option<Text>,
    session_title: Option<String>,
    extras: Extras,
}

impl UserPromptSubmitAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The prompt is dropped. The user reads the reason and the prompt again, the model nothing.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block {
            reason: reason.into(),
            suppress_prompt: false,
        })
    }

    /// The prompt is dropped. The user reads the reason, without the prompt (`suppressOriginalPrompt`): for one that
    /// holds a secret. The model reads nothing.
    pub fn block_and_suppress_prompt(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block {
            reason: reason.into(),
            suppress_prompt: true,
        })
    }

    /// The model is not asked. The prompt stays in the conversation, and behind it the reason, which the user reads
    /// (`continue: false`).
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    /// The model reads the text beside the prompt (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the prompt (`additionalContext`), if the prompt is not dropped.
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.context = Some(text.into());
        self
    }

    /// Gives the session a title (`sessionTitle`, since client 2.1.94). Of several hooks the one that finishes last
    /// counts.
    pub fn with_session_title(mut self, title: impl Into<String>) -> Self {
        self.session_title = Some(title.into());
        self
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<UserPromptSubmit> for UserPromptSubmitAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        prompted(
            UserPromptSubmit::FACTS,
            self.decision,
            self.context,
            self.session_title,
            self.extras,
        )
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}

/// The answer to [`UserPromptExpansion`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserPromptExpansionAnswer {
    decision: Option<Decision>,
    context: Option<Text>,
    extras: Extras,
}

impl UserPromptExpansionAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The command is not expanded, and nothing is sent. The user reads the reason and the prompt again, the model
    /// nothing.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block {
            reason: reason.into(),
            suppress_prompt: false,
        })
    }

    /// The command is not expanded, and nothing is sent. The user reads the reason, without the prompt
    /// (`suppressOriginalPrompt`). The model reads nothing.
    pub fn block_and_suppress_prompt(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block {
            reason: reason.into(),
            suppress_prompt: true,
        })
    }

    /// The model is not asked. Only the reason stays in the conversation, which the user reads (`continue: false`).
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    /// The model reads the text beside the prompt (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the prompt (`additionalContext`), if the prompt is not dropped.
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.context = Some(text.into());
        self
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<UserPromptExpansion> for UserPromptExpansionAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        let facts = UserPromptExpansion::FACTS;
        prompted(facts, self.decision, self.context, None, self.extras)
    }

    fn refusal(&self) -> Option<&str> {
        blocked(self.decision.as_ref())
    }
}

fn blocked(decision: Option<&Decision>) -> Option<&str> {
    match decision {
        Some(Decision::Block { reason, .. }) => Some(reason),
        _ => None,
    }
}

fn prompted(
    event: &hookkit_protocol::event::Event,
    decision: Option<Decision>,
    context: Option<Text>,
    session_title: Option<String>,
    extras: Extras,
) -> Result<Response, Error> {
    answer(|answer| {
        let mut suppress_prompt = false;
        match &decision {
            Some(Decision::Block {
                reason,
                suppress_prompt: suppress,
            }) => {
                block(answer, reason);
                suppress_prompt = *suppress;
            }
            Some(Decision::Stop(reason)) => stop(answer, reason),
            None => {}
        }
        extras.write(answer)?;
        if session_title.is_none() && !suppress_prompt {
            return context_of(answer, event, context);
        }
        let mut specific = specific_output(answer, event);
        optional_text(&mut specific, "additionalContext", context, text::LIMIT)?;
        specific.optional_string("sessionTitle", session_title.as_deref());
        if suppress_prompt {
            specific.boolean("suppressOriginalPrompt", true);
        }
        specific.end();
        Ok(())
    })
}

/// The answer to [`MessageDisplay`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageDisplayAnswer {
    display_content: Option<String>,
    extras: Extras,
}

impl MessageDisplayAnswer {
    /// The lines are shown as they are.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The user sees this text in the place of the lines (`displayContent`). The conversation, and with it the model,
    /// keeps the lines as they are.
    pub fn display_content(text: impl Into<String>) -> Self {
        Self {
            display_content: Some(text.into()),
            ..Self::default()
        }
    }

    with!(terminal_sequence);
}

impl Answer<MessageDisplay> for MessageDisplayAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            self.extras.write(answer)?;
            if let Some(text) = &self.display_content {
                let mut specific = specific_output(answer, MessageDisplay::FACTS);
                specific.string("displayContent", text);
                specific.end();
            }
            Ok(())
        })
    }
}
