use hookkit::prelude::*;

#[hook(PreToolUse, if = "Bash(git *)")]
pub fn guard(_call: PreToolUse<tool::Edit>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
