//! Git commands that cannot be undone.

use hookkit::prelude::*;

/// Denies forced pushes, which overwrite the commits of others.
#[hook(PreToolUse, matcher = "Bash", if = "Bash(git push *)", timeout = 5)]
pub fn no_force_push(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    let mut words = call.input.command.split_whitespace();
    if words.any(|word| matches!(word, "--force" | "-f")) {
        return PreToolUseAnswer::deny("this overwrites the commits of others: use --force-with-lease");
    }
    PreToolUseAnswer::pass()
}
