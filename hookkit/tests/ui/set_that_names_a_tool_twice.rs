use hookkit::prelude::*;

#[derive(ToolInput)]
pub enum Change {
    Any(tool::FileChange),
    Edit(tool::Edit),
}

fn main() {}
