use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool("Bash", server = "github")]
pub struct Shell {}

fn main() {}
