use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "^(Bash|)$")]
pub fn look_on() {}

fn main() {}
