use hookkit::prelude::*;

#[hook(PostToolUse, async, timeout = 5)]
pub fn look_on() {}

fn main() {}
