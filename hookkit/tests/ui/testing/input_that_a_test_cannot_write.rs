use hookkit::prelude::*;
use hookkit::{Hook, testing};

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "srv", name = "echo")]
pub struct Echo {}

#[hook(PreToolUse)]
pub fn check(_call: PreToolUse<Echo>) {}

fn main() {
    let session = testing::Session::new();
    session.run(check::DEF, &PreToolUse::new("mcp__srv__echo", Echo {}));
}
