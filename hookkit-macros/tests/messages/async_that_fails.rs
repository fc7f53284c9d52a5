use hookkit::prelude::*;

#[hook(WorktreeCreate, async)]
pub fn make(_wanted: WorktreeCreate) -> WorktreeCreateAnswer {
    WorktreeCreateAnswer::path("tree")
}

fn main() {}
