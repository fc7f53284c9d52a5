use hookkit::prelude::*;

#[hook(PreCommit)]
pub fn check() {}

fn main() {}
