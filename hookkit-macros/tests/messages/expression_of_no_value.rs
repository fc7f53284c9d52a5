use hookkit::prelude::*;

#[hook(SessionStart, matcher = "^Startup")]
pub fn greet() {}

fn main() {}
