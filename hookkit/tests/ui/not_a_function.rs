use hookkit::prelude::*;

#[hook(Stop)]
pub struct Gate;

fn main() {}
