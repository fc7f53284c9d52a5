use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Wirte")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
