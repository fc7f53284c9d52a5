use hookkit::prelude::*;

#[hook(PostToolUse, async, async_rewake)]
pub fn look_on() {}

fn main() {}
