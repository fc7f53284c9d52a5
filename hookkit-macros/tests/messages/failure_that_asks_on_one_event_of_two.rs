use hookkit::prelude::*;

#[hook(PreToolUse | PermissionRequest, on_failure = ask)]
pub fn look_on() {}

fn main() {}
