use hookkit::prelude::*;

#[hook(PreToolUse, if = "bash(git *)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
