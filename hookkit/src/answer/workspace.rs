//! The answers to what happens around the session: settings, worktrees, files and folders.

use std::path::PathBuf;

use hookkit_protocol::event as facts;

use super::{Answer, Extras, Text, answer, specific_output, with};
use crate::event::{ConfigChange, CwdChanged, DirectoryAdded, Event, FileChanged, WorktreeCreate};
use crate::json::Object;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`ConfigChange`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigChangeAnswer {
    is_blocked: bool,
    extras: Extras,
}

impl ConfigChangeAnswer {
    /// The session takes the change.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The session goes on without the change; the file stays as it is. Neither the user nor the model is told, so
    /// there is no reason.
    ///
    /// A change of the organization's settings (`policy_settings`) is taken all the same.
    pub fn block() -> Self {
        Self {
            is_blocked: true,
            ..Self::default()
        }
    }

    with!(terminal_sequence);
}

impl Answer<ConfigChange> for ConfigChangeAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            if self.is_blocked {
                answer.string("decision", "block");
            }
            self.extras.write(answer)
        })
    }

    fn refusal(&self) -> Option<&str> {
        self.is_blocked.then_some("refused by a hook")
    }
}

/// The answer to [`WorktreeCreate`]: the hook has made the worktree, and says where.
///
/// There is no other: a hook that says nothing, or fails, makes the creation fail.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeCreateAnswer {
    path: PathBuf,
}

impl WorktreeCreateAnswer {
    /// The worktree is in this folder, which is absolute, or below the session's directory.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Answer<WorktreeCreate> for WorktreeCreateAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    /// # Errors
    ///
    /// When the path is empty, or has a line break in it, so that the client would take another one.
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        let stdout = self.path.into_os_string().into_encoded_bytes();
        // The client takes the last line that is not empty (2.1.330).
        if stdout.trim_ascii() != stdout || stdout.is_empty() || stdout.contains(&b'\n') {
            let path = String::from_utf8_lossy(&stdout);
            return Err(Error::msg(format_args!(
                "{path:?} cannot be given to the client as a path"
            )));
        }
        Ok(Response {
            stdout,
            ..Response::default()
        })
    }
}

/// Files to watch, if anything is said of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WatchPaths(Option<Vec<PathBuf>>);

impl WatchPaths {
    pub(super) fn set(&mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) {
        self.0 = Some(paths.into_iter().map(Into::into).collect());
    }

    /// Writes the member, where there is one.
    pub(super) fn write(&self, specific: &mut Object<'_>) -> Result<(), Error> {
        let Some(paths) = &self.0 else { return Ok(()) };
        let texts = paths.iter().map(|path| match path.to_str() {
            Some(text) if path.is_absolute() => Ok(text),
            _ => Err(Error::msg(format_args!(
                "{path:?} cannot be watched: the client wants absolute paths, in UTF-8"
            ))),
        });
        specific.strings("watchPaths", texts.collect::<Result<Vec<&str>, Error>>()?);
        Ok(())
    }
}

/// The answer to [`CwdChanged`] and to [`FileChanged`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CwdChangedAnswer {
    watch_paths: WatchPaths,
    extras: Extras,
}

/// The answer to [`FileChanged`]: the same as to [`CwdChanged`].
pub type FileChangedAnswer = CwdChangedAnswer;

impl CwdChangedAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// Watches these files, instead of those that hooks have named before (`watchPaths`). Paths are absolute. Without
    /// any, CwdChanged ends the watching, and FileChanged leaves it as it is.
    ///
    /// What the matchers of FileChanged hooks name is watched beside them.
    /// A hook on [`FileChanged`] is called on a file if its matcher fits the file's name.
    pub fn watch_paths(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        let mut answer = Self::pass();
        answer.watch_paths.set(paths);
        answer
    }

    /// Adds a message that the user sees for a moment (`systemMessage`).
    /// Untested: no headless session shows it.
    pub fn with_system_message(mut self, message: impl Into<Text>) -> Self {
        self.extras.get().system_message = Some(message.into());
        self
    }

    fn response(self, event: &facts::Event) -> Result<Response, Error> {
        answer(|answer| {
            self.extras.write(answer)?;
            if self.watch_paths != WatchPaths::default() {
                let mut specific = specific_output(answer, event);
                self.watch_paths.write(&mut specific)?;
                specific.end();
            }
            Ok(())
        })
    }

    with!(terminal_sequence);
}

impl Answer<CwdChanged> for CwdChangedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response(CwdChanged::FACTS)
    }
}

impl Answer<FileChanged> for CwdChangedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        self.response(FileChanged::FACTS)
    }
}

/// The answer to [`DirectoryAdded`]. The directory stays.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirectoryAddedAnswer {
    extras: Extras,
}

impl DirectoryAddedAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the message after `/add-dir` (`systemMessage`); elsewhere it has no effect.
    /// Untested: no headless session shows it.
    pub fn system_message(message: impl Into<Text>) -> Self {
        let mut answer = Self::pass();
        answer.extras.get().system_message = Some(message.into());
        answer
    }

    with!(terminal_sequence);
}

impl Answer<DirectoryAdded> for DirectoryAddedAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| self.extras.write(answer))
    }
}
