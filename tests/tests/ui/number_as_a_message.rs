use hookkit::prelude::*;

#[hook(Stop, status_message = 5, name = LOOK)]
pub fn look_on() {}

fn main() {}
