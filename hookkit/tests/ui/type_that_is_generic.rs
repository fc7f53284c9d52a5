use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool("Bash")]
pub struct Shell<T> {
    pub command: T,
}

fn main() {}
