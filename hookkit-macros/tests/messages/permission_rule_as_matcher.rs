use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash(git *)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
