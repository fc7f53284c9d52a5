use hookkit::prelude::*;

#[hook(WorktreeCreate)]
pub fn look_on(_wanted: WorktreeCreate) {}

fn main() {}
