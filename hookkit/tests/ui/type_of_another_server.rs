use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "github")]
pub struct OfGithub {}

#[hook(PreToolUse, matcher = "mcp__gitlab__.*")]
pub fn look_on(_call: PreToolUse<OfGithub>) {}

fn main() {}
