use hookkit::prelude::*;

#[hook(PostToolUse)]
pub fn change(_call: PostToolUse<tool::Read>) -> PostToolUseAnswer<tool::Bash> {
    PostToolUseAnswer::pass()
}

fn main() {}
