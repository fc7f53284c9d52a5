use hookkit::prelude::*;

#[hook(Stop, timeout = 500ms)]
pub fn gate() {}

fn main() {}
