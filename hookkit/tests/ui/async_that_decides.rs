use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash", async)]
pub fn guard(_call: PreToolUse<tool::Bash>) -> Option<PreToolUseAnswer> {
    None
}

fn main() {}
