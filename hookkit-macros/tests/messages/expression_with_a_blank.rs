use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash | mcp__files__.*")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
