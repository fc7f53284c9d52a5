//! What git does not give back.

use hookkit::prelude::*;

/// Keeps what others have pushed.
#[hook(PreToolUse, matcher = "Bash", if = "Bash(git push *)", timeout = 5)]
pub fn no_force_push(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    let mut words = call.input.command.split_whitespace();
    if words.any(|word| matches!(word, "--force" | "-f")) {
        return PreToolUseAnswer::deny("this would take away what others have pushed: use --force-with-lease");
    }
    PreToolUseAnswer::pass()
}
