use hookkit::prelude::*;

#[hook(PreToolUse, matcher)]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
