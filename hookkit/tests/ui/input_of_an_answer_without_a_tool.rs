use hookkit::prelude::*;

#[hook(PreToolUse)]
pub fn change(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    let answer: PreToolUseAnswer = PreToolUseAnswer::pass();
    answer.with_updated_input(call.input)
}

fn main() {}
