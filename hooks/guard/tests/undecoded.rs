//! Calls whose input a guard cannot decode.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_guard::destructive::deny_destruction;
use hookkit_guard::files::protect_secrets;
use hookkit_guard::protected::protect_files;
use serde_json::json;

#[test]
fn each_guard_denies_what_it_cannot_decode() {
    for (hook, tool, missing) in [
        (deny_destruction::DEF, "Bash", "missing field `command`"),
        (deny_destruction::DEF, "PowerShell", "missing field `command`"),
        (protect_secrets::DEF, "Read", "missing field `path`"),
        (protect_files::DEF, "Edit", "missing field `path`"),
    ] {
        let event = Recorded::of("PreToolUse Bash").with("tool_name", tool);
        let event = event.with("tool_input", json!({}));
        let verdict = Session::new().run(hook, &event);
        verdict.assert_failed(missing).assert_denied(missing);
    }
}
