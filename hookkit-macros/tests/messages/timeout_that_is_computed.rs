use hookkit::prelude::*;

#[hook(Stop, timeout = 2 * 60)]
pub fn hold() {}

fn main() {}
