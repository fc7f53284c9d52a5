use hookkit::prelude::*;

#[hook(Stop)]
pub fn _hold() {}

fn main() {}
