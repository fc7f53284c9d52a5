//! The answer to WorktreeCreate, which is a path.

use std::path::PathBuf;

use super::Answer;
use crate::event::WorktreeCreate;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`WorktreeCreate`]: the folder of the worktree that the hook created.
///
/// A hook on this event must return a path: the creation fails if the hook fails or prints nothing.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeCreateAnswer {
    path: PathBuf,
}

impl WorktreeCreateAnswer {
    /// Returns the path of the worktree, absolute or relative to the session's directory.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Answer<WorktreeCreate> for WorktreeCreateAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Block;

    /// # Errors
    ///
    /// Fails if the path is empty, contains a line break, or begins or ends with white space.
    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        let stdout = self.path.into_os_string().into_encoded_bytes();
        // The client uses the last line that is not empty (2.1.330).
        if stdout.trim_ascii() != stdout || stdout.is_empty() || stdout.contains(&b'\n') {
            let path = String::from_utf8_lossy(&stdout);
            return Err(Error::msg(format_args!(
                "invalid worktree path {path:?}: the client reads one line, without white space around it"
            )));
        }
        Ok(Response { stdout, ..Response::default() })
    }
}
