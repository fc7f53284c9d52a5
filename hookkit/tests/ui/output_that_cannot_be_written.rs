use hookkit::prelude::*;

#[hook(PostToolUse)]
pub fn change(_call: PostToolUse<tool::FileChange>) -> PostToolUseAnswer<tool::FileChange> {
    PostToolUseAnswer::pass()
}

fn main() {}
