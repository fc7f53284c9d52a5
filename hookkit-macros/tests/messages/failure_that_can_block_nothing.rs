use hookkit::prelude::*;

#[hook(PostToolUse, matcher = "Bash", on_failure = block)]
pub fn look_on() {}

fn main() {}
