use hookkit::prelude::*;

#[hook(PreToolUse, if = "WebFetch(domain:example.com)")]
pub fn guard(_call: PreToolUse) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
