use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash")]
pub fn guard(_call: PostToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
