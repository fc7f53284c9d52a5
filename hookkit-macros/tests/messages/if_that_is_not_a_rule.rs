use hookkit::prelude::*;

#[hook(PreToolUse, if = "Bash(git *")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
