use hookkit::prelude::*;

#[derive(ToolInput)]
pub enum Change {
    Edit(tool::Edit),
    Other(String),
}

fn main() {}
