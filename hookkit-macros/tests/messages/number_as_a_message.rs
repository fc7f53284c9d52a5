use hookkit::prelude::*;

#[hook(Stop, status_message = 5)]
pub fn look_on() {}

fn main() {}
