use hookkit::prelude::*;

#[hook(PreToolUse | PreSkillShellCommand, matcher = "Edit")]
pub fn look_on() {}

fn main() {}
