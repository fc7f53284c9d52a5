use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|MultiEdit|Write")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
