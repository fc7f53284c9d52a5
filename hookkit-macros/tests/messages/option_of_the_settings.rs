use hookkit::prelude::*;

#[hook(PreToolUse, statusMessage = "looking")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
