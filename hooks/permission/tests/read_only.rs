//! `approve_read_only` on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded};
use hookkit_permission::read_only::approve_read_only;
use serde_json::Value;

/// The recorded event, with another command.
fn run(command: &str) -> Verdict {
    let mut event: Value = serde_json::from_str(include_str!("fixtures/pre_tool_use/bash.json")).unwrap();
    event["tool_input"]["command"] = command.into();
    run_recorded(approve_read_only::DEF, event.to_string().as_bytes())
}

#[test]
fn what_only_looks_is_allowed() {
    run_recorded(
        approve_read_only::DEF,
        include_bytes!("fixtures/pre_tool_use/bash.json"),
    )
    .assert_allowed();
    run("git status && git diff | head -n 50").assert_allowed();
}

#[test]
fn what_may_change_something_is_left_to_the_user() {
    run("git status > status.txt").assert_passed();
    run("git status; rm notes.txt").assert_passed();
    run("git status $(touch x)").assert_passed();
}

#[test]
fn what_it_cannot_decode_is_left_to_the_user() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
    let verdict = run_recorded(approve_read_only::DEF, event);
    verdict.assert_told_the_user("missing field `command`");
}
