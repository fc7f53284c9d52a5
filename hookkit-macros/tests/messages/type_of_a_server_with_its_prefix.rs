use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "mcp__github", name = "create_issue")]
pub struct Create {}

fn main() {}
