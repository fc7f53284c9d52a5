use hookkit::prelude::*;

#[hook(SessionStart || UserPromptSubmit)]
pub fn look_on() {}

fn main() {}
