use hookkit::prelude::*;

#[hook(PostToolUse, async status_message = "looking")]
pub fn look_on() {}

fn main() {}
