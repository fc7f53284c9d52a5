use hookkit::prelude::*;

#[hook(Stop, crate = "hookkit")]
pub fn look_on() {}

fn main() {}
