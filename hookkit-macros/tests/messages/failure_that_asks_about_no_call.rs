use hookkit::prelude::*;

#[hook(Stop, on_failure = ask)]
pub fn look_on() {}

fn main() {}
