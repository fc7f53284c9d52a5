//! The answer to questions of MCP servers.

use hookkit_protocol::event as facts;

use super::{Answer, Extras, answer, specific_output, with};
use crate::event::{Elicitation, ElicitationResult, Event};
use crate::{Error, Json, OnFailure, Payload, Response};

/// The answer to [`Elicitation`], in the place of the user, and to [`ElicitationResult`], in the place of the answer
/// that was given.
///
/// Of several hooks the last one counts, but for a [`block`](Self::block).
///
/// ```
/// use hookkit::Json;
/// use hookkit::prelude::*;
///
/// #[derive(serde::Serialize)]
/// struct Target {
///     region: String,
/// }
///
/// /// Answers the server that always asks for the region.
/// #[hook(Elicitation, matcher = "deploy")]
/// pub fn region(question: Elicitation, context: Context) -> Result<ElicitationAnswer, Error> {
///     if question.message != "Which region?" {
///         return Ok(ElicitationAnswer::pass());
///     }
///     let region = std::fs::read_to_string(context.project_dir.join("REGION"))?;
///     Ok(ElicitationAnswer::accept(Json::encode(&Target { region })?))
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ElicitationAnswer {
    decision: Option<Decision>,
    extras: Extras,
}

/// The answer to [`ElicitationResult`]: the same as to [`Elicitation`].
pub type ElicitationResultAnswer = ElicitationAnswer;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Accept(Option<Json>),
    Decline,
    Cancel,
    Block,
}

impl ElicitationAnswer {
    /// No opinion: the user is asked, or the user's answer stands.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The server gets this content: an object that fits the question's schema. The hook fails where it is no object.
    pub fn accept(content: Json) -> Self {
        Self::decide(Decision::Accept(Some(content)))
    }

    /// The server is told that the user goes to the page that it wants to show: a question of the mode `url` has no
    /// content.
    pub fn accept_url() -> Self {
        Self::decide(Decision::Accept(None))
    }

    /// The server is told that the user does not want to answer.
    pub fn decline() -> Self {
        Self::decide(Decision::Decline)
    }

    /// The server is told that the user has closed the question.
    pub fn cancel() -> Self {
        Self::decide(Decision::Cancel)
    }

    /// The server is told that the user does not want to answer, whatever other hooks say. Nobody reads why.
    pub fn block() -> Self {
        Self::decide(Decision::Block)
    }

    fn decide(decision: Decision) -> Self {
        Self {
            decision: Some(decision),
            ..Self::default()
        }
    }

    fn response(self, event: &facts::Event) -> Result<Response, Error> {
        answer(|answer| {
            let action = match &self.decision {
                Some(Decision::Accept(_)) => Some("accept"),
                Some(Decision::Decline) => Some("decline"),
                Some(Decision::Cancel) => Some("cancel"),
                Some(Decision::Block) => {
                    answer.string("decision", "block");
                    None
                }
                None => None,
            };
            self.extras.write(answer)?;
            if let Some(action) = action {
                let mut specific = specific_output(answer, event);
                specific.string("action", action);
                if let Some(Decision::Accept(Some(content))) = &self.decision {
                    let text = content.text().trim();
                    if !text.starts_with('{') {
                        return Err(Error::msg("the answer to a server's question has to be an object"));
                    }
                    specific.raw(b"content", text.as_bytes());
                }
                specific.end();
            }
            Ok(())
        })
    }

    fn blocked(&self) -> Option<&str> {
        matches!(self.decision, Some(Decision::Block)).then_some("declined by a hook")
    }

    with!(terminal_sequence);
}

impl Answer<Elicitation> for ElicitationAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response(Elicitation::FACTS)
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked()
    }
}

impl Answer<ElicitationResult> for ElicitationAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response(ElicitationResult::FACTS)
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked()
    }
}
