use hookkit::prelude::*;

/// Looks at edits, and at commands of skills, which edit nothing.
#[hook(PreToolUse | PreSkillShellCommand)]
pub fn look(_call: PreToolUse<tool::Edit>) -> PreToolUseAnswer {
    PreToolUseAnswer::pass()
}

fn main() {}
