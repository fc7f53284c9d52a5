//! The answers of hooks that the client does not wait for.

use hookkit_protocol::escape::{LineEnds, escape};

use super::meaning::Meaning;
use super::{Answer, Async, AsyncRewake, Text};
use crate::event::Event;
use crate::{Error, Payload, Response};

answer! {
    /// The answer of a hook that is `async`, on any event: the client has gone on when it comes.
    ///
    /// Decisions, and all else that an event's own answer can say, would be lost.
    /// At the end of a session in print mode the client cancels what still runs (client 2.1.330).
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Looks at an edit while the model goes on.
    /// #[hook(PostToolUse, async)]
    /// pub fn look(call: PostToolUse<tool::FileChange>) -> Result<Option<AsyncAnswer>, Error> {
    ///     let text = std::fs::read_to_string(&call.input.file_path)?;
    ///     Ok(text.contains("TODO").then(|| AsyncAnswer::pass().with_context("there are notes of things to do in it")))
    /// }
    /// # fn main() {}
    /// ```
    AsyncAnswer;

    /// No effect.
    pass();
    /// Adds text that the model reads with its next request.
    ///
    /// It goes out as `additionalContext`, and as `systemMessage` on the events whose object has no such member: of a
    /// hook that the client does not wait for the model reads either (client 2.1.330).
    /// On TeammateIdle and WorktreeRemove: Untested: no headless session shows it.
    with_context(text);
}

impl<E: Event> Answer<E, Async> for AsyncAnswer {
    fn into_response(mut self, _: &Payload<'_>) -> Result<Response, Error> {
        if const { !E::FACTS.has_context() } {
            self.meaning.context_as_system_message();
        }
        self.meaning.encode::<E>()
    }
}

/// The answer of a hook that is `async_rewake`, on any event: the client has gone on when it comes, and the model may
/// be idle.
///
/// With `-p` and one prompt the client waits for such hooks, and takes what would wake the model for exit code 2 of any other
/// hook: on PreToolUse the call does not run, on UserPromptSubmit the prompt is dropped, on SessionStart it has no effect.
/// With `--input-format stream-json` it is as in a terminal (client 2.1.330).
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewakeAnswer {
    wake: Option<String>,
}

impl RewakeAnswer {
    /// No effect.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Wakes the model, which reads the text as a reminder, after the rest of the hook's stderr. Nothing else of such a
    /// hook is used.
    ///
    /// On TeammateIdle and WorktreeRemove: Untested: no headless session shows it.
    pub fn wake(text: impl Into<String>) -> Self {
        Self {
            wake: Some(text.into()),
        }
    }
}

impl<E: Event> Answer<E, AsyncRewake> for RewakeAnswer {
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(match self.wake {
            None => Response::default(),
            // At the end of a turn the client takes an exit code 2 with empty stdout, and "no such file" or "can't open"
            // on stderr, for a script that is missing (client 2.1.330). A compiler says so, too.
            Some(stderr) => Response {
                stdout: b"stderr says why\n".to_vec(),
                stderr: escape(&stderr, LineEnds::Kept).into_owned(),
                exit_code: 2,
            },
        })
    }
}
