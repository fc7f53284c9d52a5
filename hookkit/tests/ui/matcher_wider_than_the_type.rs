use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|Bash")]
pub fn guard(_call: PreToolUse<tool::Edit>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
