use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "github", tool = "create_issue")]
pub struct CreateIssue {}

fn main() {}
