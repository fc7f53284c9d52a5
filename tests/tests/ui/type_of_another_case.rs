use hookkit::prelude::*;

#[derive(serde::Deserialize)]
pub struct Shell {}

impl tool::ToolInput for Shell {
    const MATCHER: Option<&'static str> = Some("bash");
}

#[hook(PreToolUse)]
pub fn look_on(_call: PreToolUse<Shell>) {}

fn main() {}
