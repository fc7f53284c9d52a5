use hookkit::prelude::*;

#[hook(Stop, name = LOOK)]
pub fn look_on() {}

fn main() {}
