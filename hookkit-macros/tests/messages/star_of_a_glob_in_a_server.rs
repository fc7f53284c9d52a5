use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "mcp__*__create_issue")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
