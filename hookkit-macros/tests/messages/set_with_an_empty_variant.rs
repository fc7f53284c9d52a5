use hookkit::prelude::*;

#[derive(ToolInput)]
pub enum Change {
    Edit(tool::Edit),
    Write,
}

fn main() {}
