//! The answers of hooks that the client does not wait for.

use hookkit_protocol::escape::{LineEnds, escape};

use super::meaning::Meaning;
use super::{Answer, Async, AsyncRewake, Text};
use crate::event::Event;
use crate::{Error, Payload, Response};

answer! {
    /// The answer of an `async` hook, on any event. The client does not wait for it.
    ///
    /// It has only text, because the client ignores decisions and other members of a late answer. At the end of a
    /// session in print mode the client cancels hooks that are still running (client 2.1.330).
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Looks for TODO comments after an edit, while the model continues.
    /// #[hook(PostToolUse, async)]
    /// pub fn todos(call: PostToolUse<tool::FileChange>) -> Result<Option<AsyncAnswer>, Error> {
    ///     let text = std::fs::read_to_string(&call.input.file_path)?;
    ///     Ok(text.contains("TODO").then(|| AsyncAnswer::pass().with_context("the file has TODO comments")))
    /// }
    /// # fn main() {}
    /// ```
    AsyncAnswer;

    /// Has no effect.
    pass();
    /// Adds text that the model reads with its next request.
    ///
    /// It is sent as `additionalContext`, or as `systemMessage` on events without such a member. In both forms the
    /// model reads it from a hook that the client does not wait for (client 2.1.330). Untested on TeammateIdle and
    /// WorktreeRemove: no headless session shows it.
    with_context(text);
}

impl<E: Event> Answer<E, Async> for AsyncAnswer {
    fn into_response(mut self, payload: &Payload<'_>) -> Result<Response, Error> {
        if const { !E::FACTS.has_context() } {
            self.meaning.context_as_system_message();
        }
        self.meaning.encode::<E>(payload)
    }
}

/// The stdout of an answer that wakes the model.
pub(crate) const WOKEN: &[u8] = b"stderr says why\n";

/// The answer of an `async_rewake` hook, on any event. The client does not wait for it, and it can wake an idle model.
///
/// With `-p` and one prompt the client does wait for such hooks, and treats a wake-up like exit code 2 of any other hook:
/// on PreToolUse the call is denied, on UserPromptSubmit the prompt is dropped, on SessionStart it has no effect.
/// With `--input-format stream-json` the behavior is the same as in a terminal (client 2.1.330).
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewakeAnswer {
    wake: Option<String>,
}

impl RewakeAnswer {
    /// Has no effect.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Wakes the model, which reads the text as a reminder, after the rest of the hook's stderr. The client uses no
    /// other output of the hook.
    ///
    /// Untested on TeammateIdle and WorktreeRemove: no headless session shows it.
    pub fn wake(text: impl Into<String>) -> Self {
        Self { wake: Some(text.into()) }
    }
}

impl<E: Event> Answer<E, AsyncRewake> for RewakeAnswer {
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        Ok(match self.wake {
            None => Response::default(),
            // On Stop the client mistakes exit code 2 with empty stdout, and "no such file" or "can't open" on stderr, for
            // a missing script (client 2.1.330). The errors of a compiler may contain these words, too.
            Some(stderr) => {
                Response { stdout: WOKEN.to_vec(), stderr: escape(&stderr, LineEnds::Kept).into_owned(), exit_code: 2 }
            }
        })
    }
}
