use hookkit::prelude::*;

#[hook(MessageDisplay, async)]
pub fn look_on() {}

fn main() {}
