use hookkit::prelude::*;

#[hook(Stop)]
#[hook(SessionStart)]
pub fn look_on() {}

fn main() {}
