use hookkit::prelude::*;

#[hook(PreToolUse | PostToolUse, matcher = "Edit|bash")]
pub fn look_on(_context: Context) {}

fn main() {}
