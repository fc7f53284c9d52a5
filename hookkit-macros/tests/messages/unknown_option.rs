use hookkit::prelude::*;

#[hook(PreToolUse, matches = "Bash")]
pub fn guard(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
