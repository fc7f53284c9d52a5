use hookkit::prelude::*;

#[hook(PreToolUse, name = "Protect Keys")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
