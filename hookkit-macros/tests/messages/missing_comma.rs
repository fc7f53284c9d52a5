use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash" timeout = 5)]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
