use hookkit::prelude::*;

#[derive(ToolInput)]
#[tool("Edit|Write")]
pub enum Change {
    Edit(tool::Edit),
    Write(tool::Write),
}

fn main() {}
