use hookkit::prelude::*;

#[hook(PreToolUse | PostToolUse, on_failure = block)]
pub fn look_on(_context: Context) {}

fn main() {}
