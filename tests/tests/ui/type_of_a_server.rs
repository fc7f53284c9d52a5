use hookkit::prelude::*;

#[derive(serde::Deserialize)]
pub struct OfGithub {}

impl tool::ToolInput for OfGithub {
    const MATCHER: Option<&'static str> = Some("Bash|mcp__github");
}

#[hook(PreToolUse)]
pub fn look_on(_call: PreToolUse<OfGithub>) {}

fn main() {}
