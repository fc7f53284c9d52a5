use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "(Edit)?")]
pub fn look_on() {}

fn main() {}
