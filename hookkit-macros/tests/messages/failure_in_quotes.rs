use hookkit::prelude::*;

#[hook(PreToolUse, on_failure = "block")]
pub fn guard() -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
