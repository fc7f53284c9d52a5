use hookkit::prelude::*;

#[hook(PreToolUse, Stop, SessionStart, name = "look")]
pub fn look_on(_context: Context) {}

fn main() {}
