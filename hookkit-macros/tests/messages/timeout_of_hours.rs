use hookkit::prelude::*;

#[hook(Stop, timeout = 86401)]
pub fn hold() {}

fn main() {}
