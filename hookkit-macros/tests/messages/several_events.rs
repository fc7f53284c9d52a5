use hookkit::prelude::*;

#[hook(PreToolUse, PostToolUse)]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
