//! `protect_checks` on recorded commands.

use crate::outcome::outcome;
use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_guard::checks::protect_checks;

#[test]
fn commands_that_change_them_are_asked_about() {
    test_support::lines!("lines/protect-checks.txt").check(|section, line| {
        let session = Session::new();
        section.write(&session.path(""), "");
        let call = Recorded::of("PreToolUse Bash").with("tool_input.command", line);
        let verdict = session.run(protect_checks::DEF, &call);
        let asked = match section.name {
            "agents without guards" => "an agent may run without the guards of this session",
            _ => "decides what the project's checks find",
        };
        outcome(&verdict, "", asked)
    });
}
