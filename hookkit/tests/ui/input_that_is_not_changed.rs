use hookkit::prelude::*;

#[hook(PreToolUse)]
pub fn change(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass().with_updated_input(call.input)
}

fn main() {}
