//! Hooks of this pack.

use hookkit::prelude::*;

/// @unwritten@
///
/// # Errors
///
/// If the folder cannot be created: then there is no worktree.
#[hook(@event@)]
pub fn @name@(wanted: @type@) -> Result<@event@Answer, Error> {
    // The hook takes the place of `git worktree`: it creates the folder, and answers with `@event@Answer::path`.
    Err(Error::msg(format!("the worktree `{}` cannot be created yet", wanted.name)))
}

#[cfg(test)]
mod tests {
    use hookkit::{Hook, testing};

    use super::@name@;

    const RECORDED: &[u8] = include_bytes!("../tests/payloads/@name@.json");

    #[test]
    fn a_worktree_that_is_not_created_is_denied() {
        testing::run_recorded(@name@::DEF, RECORDED).assert_denied("cannot be created yet");
    }
}
