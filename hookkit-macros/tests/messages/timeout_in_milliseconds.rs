use hookkit::prelude::*;

#[hook(Stop, timeout = 5000)]
pub fn hold() {}

fn main() {}
