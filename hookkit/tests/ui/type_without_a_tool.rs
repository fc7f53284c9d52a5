use hookkit::prelude::*;

#[derive(serde::Deserialize)]
pub struct CreateIssue {}

#[hook(PreToolUse)]
pub fn look_on(_call: PreToolUse<CreateIssue>) {}

fn main() {}
