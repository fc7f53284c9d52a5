use hookkit::prelude::*;

#[hook(matcher = "Bash")]
pub fn hold() {}

fn main() {}
