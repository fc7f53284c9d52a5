use hookkit::prelude::*;

#[hook(hookkit::event::Stop)]
pub fn look_on() {}

fn main() {}
