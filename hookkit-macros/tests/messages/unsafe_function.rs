use hookkit::prelude::*;

#[hook(Stop)]
pub unsafe fn gate() {}

fn main() {}
