//! The answer to WorktreeCreate, which is a path.

use std::path::PathBuf;

use super::Answer;
use crate::event::WorktreeCreate;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`WorktreeCreate`]: the folder in which the hook has made the worktree.
///
/// There is no other: a hook that prints nothing, or fails, makes the creation fail.
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
