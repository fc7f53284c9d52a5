//! Helpers for the unit tests.

use crate::prelude::*;

/// Returns a Bash call with this line.
pub(crate) fn bash(line: &str) -> PreToolUse<Change> {
    PreToolUse::new("Bash", Change::Bash(tool::Bash::new(line)))
}

/// Returns the context of a session in its project.
pub(crate) fn context(project: impl Into<PathBuf>) -> Context {
    let mut context = Context::default();
    context.project_dir = project.into();
    context.cwd.clone_from(&context.project_dir);
    context
}

/// Returns an answer's word in the lists: pass, deny or error.
pub(crate) fn outcome(answer: Result<Option<PreToolUseAnswer>, Error>) -> String {
    let word = match answer {
        Ok(None) => "pass",
        Ok(Some(_)) => "deny",
        Err(_) => "error",
    };
    word.to_owned()
}
