use hookkit::prelude::*;

#[hook(PreToolUse | Notification, matcher = "idle_prompt")]
pub fn look_on(_context: Context) {}

fn main() {}
