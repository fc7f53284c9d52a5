use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Edit|Write|NotebookEdit")]
pub fn guard(_call: PreToolUse<tool::FileChange>) {}

fn main() {}
