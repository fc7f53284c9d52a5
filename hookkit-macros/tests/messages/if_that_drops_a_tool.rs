use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|Write", if = "Edit(src/**)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
