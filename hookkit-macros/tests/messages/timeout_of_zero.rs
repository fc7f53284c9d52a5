use hookkit::prelude::*;

#[hook(Stop, timeout = 0)]
pub fn gate() {}

fn main() {}
