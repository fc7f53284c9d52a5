use hookkit::prelude::*;

#[hook(PreToolUse, if = "mcp__github")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
