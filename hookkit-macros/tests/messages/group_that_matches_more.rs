use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "(Edit|Write)|mcp__files__.*")]
pub fn look_on() {}

fn main() {}
