use hookkit::prelude::*;

#[derive(serde::Deserialize, ToolInput)]
#[tool(server = "srv", name = "echo")]
pub struct Echo {}

#[hook(PreToolUse)]
pub fn change(_call: PreToolUse<Echo>) -> PreToolUseAnswer<Echo> {
    PreToolUseAnswer::pass()
}

fn main() {}
