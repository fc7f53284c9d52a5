use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool("Bash|mcp__github")]
pub struct OfGithub {}

fn main() {}
