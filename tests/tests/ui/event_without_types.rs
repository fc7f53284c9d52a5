use hookkit::prelude::*;

#[hook(SubagentStop)]
pub fn hold() {}

fn main() {}
