use hookkit::prelude::*;

#[hook(PostToolUse, async = true)]
pub fn look_on() {}

fn main() {}
