use hookkit::prelude::*;

#[hook("Stop")]
pub fn hold() {}

fn main() {}
