use hookkit::prelude::*;

#[hook(PreToolUse, if = "Bash(git push *)|Bash(npm publish *)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
