use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "^(Edit|Wirte)$")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
