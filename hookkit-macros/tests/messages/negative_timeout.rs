use hookkit::prelude::*;

#[hook(Stop, timeout = -1)]
pub fn hold() {}

fn main() {}
