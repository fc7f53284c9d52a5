use hookkit::prelude::*;

#[hook(PostToolUse)]
pub fn look_on() -> RewakeAnswer {
    RewakeAnswer::pass()
}

fn main() {}
