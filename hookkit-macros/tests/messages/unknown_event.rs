use hookkit::prelude::*;

#[hook(PreTooluse, matcher = "Bash")]
pub fn guard(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
