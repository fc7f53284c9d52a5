use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool("bash")]
pub struct Shell {}

fn main() {}
