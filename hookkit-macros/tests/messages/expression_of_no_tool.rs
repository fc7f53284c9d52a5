use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "^bash$")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
