use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|bash")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
