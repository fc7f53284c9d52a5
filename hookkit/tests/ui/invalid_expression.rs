use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "mcp__(github|gitlab__.*")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
