use hookkit::prelude::*;

#[hook(PreToolUse, matcher = Bash)]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
