use hookkit::prelude::*;

#[hook(Stop)]
pub fn gate(_stop: Stop) -> PreToolUseAnswer {
    PreToolUseAnswer::deny("not yet")
}

fn main() {}
