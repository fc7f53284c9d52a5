//! The answer to the beginning of a session.

use std::path::PathBuf;

use super::workspace::WatchPaths;
use super::{Answer, Extras, Text, answer, context_of, optional_text, specific_output, text, with};
use crate::event::{Event, SessionStart};
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`SessionStart`]. The session goes on, whatever it says.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionStartAnswer {
    context: Option<Text>,
    more: Option<Box<More>>,
    extras: Extras,
}

/// What is seldom said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct More {
    initial_user_message: Option<Text>,
    session_title: Option<String>,
    watch_paths: WatchPaths,
    reload_skills: bool,
}

impl SessionStartAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the text before the first prompt (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads before the first prompt (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.context = Some(text.into());
        self
    }

    /// In print mode (`-p`) the text is sent as a prompt of the user's, in a turn of its own before the first one
    /// (`initialUserMessage`).
    pub fn with_initial_user_message(mut self, message: impl Into<Text>) -> Self {
        self.more().initial_user_message = Some(message.into());
        self
    }

    /// Gives a session that is new, resumed or forked a title (`sessionTitle`, since client 2.1.152).
    pub fn with_session_title(mut self, title: impl Into<String>) -> Self {
        self.more().session_title = Some(title.into());
        self
    }

    /// Watches these files, beside those that the matchers of FileChanged hooks name (`watchPaths`). Paths are
    /// absolute.
    ///
    /// A hook on [`FileChanged`](crate::event::FileChanged) is called on a file if its matcher fits the file's name.
    pub fn with_watch_paths(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.more().watch_paths.set(paths);
        self
    }

    /// The client looks for skills again, in case the hook has made some (`reloadSkills`, since client 2.1.152).
    pub fn with_reload_skills(mut self) -> Self {
        self.more().reload_skills = true;
        self
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    with!(system_message_unseen);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<SessionStart> for SessionStartAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            self.extras.write(answer)?;
            let Some(more) = self.more else {
                return context_of(answer, SessionStart::FACTS, self.context);
            };
            let mut specific = specific_output(answer, SessionStart::FACTS);
            optional_text(&mut specific, "additionalContext", self.context, text::LIMIT)?;
            optional_text(
                &mut specific,
                "initialUserMessage",
                more.initial_user_message,
                text::LIMIT,
            )?;
            specific.optional_string("sessionTitle", more.session_title.as_deref());
            more.watch_paths.write(&mut specific)?;
            if more.reload_skills {
                specific.boolean("reloadSkills", true);
            }
            specific.end();
            Ok(())
        })
    }
}
