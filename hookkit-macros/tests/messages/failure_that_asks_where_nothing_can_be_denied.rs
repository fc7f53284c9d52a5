use hookkit::prelude::*;

#[hook(PostToolUse, on_failure = ask)]
pub fn look_on() {}

fn main() {}
