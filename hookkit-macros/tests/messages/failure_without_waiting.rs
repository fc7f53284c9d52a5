use hookkit::prelude::*;

#[hook(PreToolUse, async, on_failure = block)]
pub fn look_on() {}

fn main() {}
