use hookkit::prelude::*;

#[hook(PreToolUse, matcher = "Bash", agents = "claude|qwen")]
pub fn rewrite(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer<tool::Bash> {
    PreToolUseAnswer::pass().with_updated_input(call.input)
}

fn main() {}
