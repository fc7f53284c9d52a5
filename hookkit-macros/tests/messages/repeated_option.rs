use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash", matcher = "Read")]
pub fn guard() {}

fn main() {}
