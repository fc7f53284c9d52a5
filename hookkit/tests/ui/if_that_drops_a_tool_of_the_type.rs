use hookkit::prelude::*;

#[hook(PreToolUse, if = "Edit(src/**)")]
pub fn look_on(_call: PreToolUse<tool::FileChange>) {}

fn main() {}
