use hookkit::prelude::*;

#[hook(SessionStart | Stop | SessionStart)]
pub fn look_on(_context: Context) {}

fn main() {}
