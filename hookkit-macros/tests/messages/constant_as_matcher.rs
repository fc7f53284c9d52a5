use hookkit::prelude::*;

#[hook(PreToolUse, matcher = MATCHER)]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
