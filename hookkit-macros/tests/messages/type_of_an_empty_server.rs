use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "")]
pub struct Any {}

fn main() {}
