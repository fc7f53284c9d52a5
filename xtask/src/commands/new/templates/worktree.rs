//! Hooks of this pack.

use hookkit::prelude::*;

/// @unwritten@
///
/// # Errors
///
/// If the folder cannot be made: then there is no worktree.
#[hook(@event@)]
pub fn @name@(wanted: @type@) -> Result<@event@Answer, Error> {
    // The hook takes the place of `git worktree`: it makes the folder, and answers with `@event@Answer::path`.
    Err(Error::msg(format!("the worktree `{}` cannot be made yet", wanted.name)))
}

#[cfg(test)]
mod tests {
    use hookkit::{Hook, testing};

    use super::@name@;

    const RECORDED: &[u8] = include_bytes!("../tests/payloads/@name@.json");

    #[test]
    fn a_worktree_that_is_not_made_is_refused() {
        testing::run_recorded(@name@::DEF, RECORDED).assert_denied("cannot be made yet");
    }
}
