use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "^Bash$|mcp__files__.*")]
pub fn guard(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
