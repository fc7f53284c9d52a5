use hookkit::prelude::*;

#[hook(PreToolUse)]
pub fn enough() -> PreToolUseAnswer {
    PreToolUseAnswer::stop("enough")
}

fn main() {}
