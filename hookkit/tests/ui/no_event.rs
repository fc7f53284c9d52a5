use hookkit::prelude::*;

#[hook]
pub fn gate() {}

fn main() {}
