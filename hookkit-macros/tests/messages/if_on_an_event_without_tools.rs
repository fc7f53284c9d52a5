use hookkit::prelude::*;

#[hook(Stop, if = "Bash(git *)")]
pub fn hold() {}

fn main() {}
