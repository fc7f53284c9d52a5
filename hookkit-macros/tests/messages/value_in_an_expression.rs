use hookkit::prelude::*;

#[hook(SessionStart, matcher = "startup|resum$")]
pub fn greet() {}

fn main() {}
