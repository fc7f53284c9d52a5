//! Sessions that read a project's local settings.

use std::path::Path;

use crate::settings::{scope, start};
use crate::terminal::quoted;

/// Describes the sessions that run the hooks. Empty if these are just the sessions in the root. A folder within a
/// repository has its own note.
pub(super) fn described(root: &Path, is_within: bool) -> String {
    let home = scope::home();
    if start::reaches_others(root, home.as_deref()) {
        return "Sessions in all folders and linked worktrees of the repository run them.\n".to_owned();
    }
    let main = start::outer(root, home.as_deref()).filter(|_| !is_within);
    main.map_or_else(String::new, |main| {
        let (root, typed) = (root.display(), quoted(main.display()));
        format!(
            "{root} is a linked worktree: only sessions started in it run them.\n\
             For sessions in all folders and worktrees of the repository: --project {typed}\n"
        )
    })
}
