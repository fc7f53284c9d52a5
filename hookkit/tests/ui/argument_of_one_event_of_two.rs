use hookkit::prelude::*;

#[hook(SessionStart | Stop)]
pub fn look_on(_start: SessionStart) {}

fn main() {}
