use hookkit::prelude::*;

#[hook(PostToolUse)]
pub fn late() -> PostToolUseAnswer {
    PostToolUseAnswer::allow()
}

fn main() {}
