use hookkit::prelude::*;

#[hook(PreToolUse | Stop, matcher = "Bash")]
pub fn look_on(_context: Context) {}

fn main() {}
