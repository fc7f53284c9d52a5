//! The answers to a compaction, which are plain text.
//!
//! There is nothing beside the text: the client would take an answer in JSON for a part of it.

use super::{Answer, Text, answer, block, plain};
use crate::event::{PostCompact, PreCompact};
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`PreCompact`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PreCompactAnswer {
    decision: Option<Decision>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Instructions(Text),
    Block(String),
}

impl PreCompactAnswer {
    /// The conversation is compacted as ever.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model that writes the summary reads the text, behind the instructions that it has (the hook's plain stdout).
    ///
    /// The client cuts it after 10,000 UTF-16 units, without a word: a longer text is cut before, and says so.
    /// It cannot begin with `{`, which the client would take for an answer in JSON: the hook then fails.
    pub fn instructions(text: impl Into<Text>) -> Self {
        Self {
            decision: Some(Decision::Instructions(text.into())),
        }
    }

    /// The conversation is not compacted (since client 2.1.105). The user reads the reason, and so does the model, as
    /// the outcome of `/compact`.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            decision: Some(Decision::Block(reason.into())),
        }
    }
}

impl Answer<PreCompact> for PreCompactAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        match self.decision {
            Some(Decision::Instructions(text)) => plain(text),
            Some(Decision::Block(reason)) => answer(|answer| {
                block(answer, &reason);
                Ok(())
            }),
            None => Ok(Response::default()),
        }
    }

    fn refusal(&self) -> Option<&str> {
        match &self.decision {
            Some(Decision::Block(reason)) => Some(reason),
            _ => None,
        }
    }
}

/// The answer to [`PostCompact`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostCompactAnswer {
    message: Option<Text>,
}

impl PostCompactAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The user reads the text, with the outcome of `/compact`; the model reads it there, too (the hook's plain
    /// stdout).
    ///
    /// It cannot begin with `{`, which the client would take for an answer in JSON: the hook then fails.
    pub fn message(text: impl Into<Text>) -> Self {
        Self {
            message: Some(text.into()),
        }
    }
}

impl Answer<PostCompact> for PostCompactAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.message.map_or_else(|| Ok(Response::default()), plain)
    }
}
