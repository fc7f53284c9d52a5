use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "github", name = "create_*")]
pub struct Create {}

fn main() {}
