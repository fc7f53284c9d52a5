use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit*|mcp__files__.*")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
