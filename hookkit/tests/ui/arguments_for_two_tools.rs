use hookkit::prelude::*;

type Call = PreToolUse<tool::Bash>;

#[hook(PreToolUse)]
pub fn look_on(_one: Call, _other: PreToolUse<tool::Edit>) {}

fn main() {}
