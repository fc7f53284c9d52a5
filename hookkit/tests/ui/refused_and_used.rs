//! One error: a use of the hook adds none.

use hookkit::Hook;
use hookkit::prelude::*;

/// Has a timeout of nothing.
#[hook(Stop, timeout = 0)]
pub fn gate() {}

fn main() {
    const HOOK: &hookkit::HookDef = gate::DEF;
    assert_eq!(HOOK.declared.name, "gate");
}
