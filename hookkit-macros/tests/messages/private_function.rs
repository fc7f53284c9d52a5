use hookkit::prelude::*;

#[hook(Stop)]
fn gate() {}

fn main() {}
