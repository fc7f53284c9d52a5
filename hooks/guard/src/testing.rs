//! Helpers of the unit tests.

use std::path::PathBuf;

use hookkit::Context;

/// Returns the context of a session that was started in its project.
pub(crate) fn context(project: impl Into<PathBuf>) -> Context {
    let mut context = Context::default();
    context.project_dir = project.into();
    context.cwd.clone_from(&context.project_dir);
    context
}
