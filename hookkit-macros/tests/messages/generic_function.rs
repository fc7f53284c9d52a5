use hookkit::prelude::*;

#[hook(Stop)]
pub fn gate<T>() {}

fn main() {}
