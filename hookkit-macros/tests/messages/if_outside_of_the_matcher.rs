use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|Write", if = "Bash(git *)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
