use hookkit::prelude::*;

#[hook(PreToolUse, async, on_failure = ask)]
pub fn look_on() {}

fn main() {}
