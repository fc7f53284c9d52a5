use hookkit::prelude::*;

#[hook(PreToolUse)]
pub fn change(_call: PreToolUse<tool::Bash>) -> PreToolUseAnswer<tool::Write> {
    PreToolUseAnswer::pass()
}

fn main() {}
