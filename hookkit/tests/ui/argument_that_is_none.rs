use hookkit::prelude::*;

#[hook(Stop)]
pub fn gate(_often: u32) {}

fn main() {}
