//! Hooks of this pack.

use hookkit::prelude::*;

/// @unwritten@
///
/// # Errors
///
/// Fails if the folder cannot be created: then there is no worktree.
#[hook(@options@)]
pub fn @name@(wanted: @type@) -> Result<WorktreeCreateAnswer, Error> {
    // The hook takes the place of `git worktree`: it creates the folder, and answers with `WorktreeCreateAnswer::path`.
    Err(Error::msg(format!("the worktree `{}` cannot be created yet", wanted.name)))
}

#[cfg(test)]
mod tests {
@test@}
