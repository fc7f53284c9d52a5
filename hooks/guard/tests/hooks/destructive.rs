//! `deny_destruction` with other folders for temporary files.

use crate::outcome::outcome;
use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_guard::destructive::deny_destruction;

#[test]
fn a_temporary_folder_that_holds_what_stays_is_none() {
    let home = std::env::home_dir().expect("a home");
    let home = home.to_str().expect("a UTF-8 path");
    test_support::lines!("lines/deny-destruction-temporary.txt").check_inputs(|_, inputs| {
        let mut session = Session::new();
        session.set("HOME", home).set("TMPDIR", inputs[0].replace('~', home));
        session.context_mut().cwd = "/home/user/project".into();
        session.context_mut().project_dir = "/home/user/project".into();
        let event = Recorded::of("PreToolUse Bash").with("tool_input.command", inputs[1]);
        let verdict = session.run(deny_destruction::DEF, &event);
        outcome(&verdict, "deletes a part of the system", "outside the project")
    });
}
