use hookkit::prelude::*;

#[hook(SessionStart, matcher = "startup|resumed")]
pub fn greet() {}

fn main() {}
