//! `protect_files` on recorded events.

use hookkit::Hook;
use hookkit::testing::run_recorded;
use hookkit_guard::protected::protect_files;

const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");
const NOTEBOOK_EDIT: &str = include_str!("fixtures/pre_tool_use/notebook_edit.json");
const BASH: &str = include_str!("fixtures/pre_tool_use/bash.json");
const READ: &str = include_str!("fixtures/pre_tool_use/read.json");

/// The recorded event, about another file of its project.
fn about(event: &str, file: &str) -> Vec<u8> {
    event.replace("new.txt", file).replace("a.ipynb", file).into_bytes()
}

#[test]
fn an_ordinary_file_gets_no_opinion() {
    for event in [EDIT, WRITE, NOTEBOOK_EDIT] {
        run_recorded(protect_files::DEF, event.as_bytes()).assert_passed();
    }
}

#[test]
fn whichever_tool_changes_a_lock_file_is_refused_and_told_who_writes_it() {
    for event in [EDIT, WRITE, NOTEBOOK_EDIT] {
        run_recorded(protect_files::DEF, &about(event, "Cargo.lock")).assert_denied(
            "`/home/user/project/Cargo.lock` is protected, since its package manager writes it: have that do it, by a \
             command such as `cargo update` or `npm install`; or ask the user, who can allow it by the line `!Cargo.lock` \
             in `.claude/protected`",
        );
    }
}

/// The recorded event, with another command.
fn running(command: &str) -> Vec<u8> {
    let recorded = serde_json::from_str(BASH);
    let mut event: serde_json::Value = recorded.expect("it was recorded as JSON");
    event["tool_input"]["command"] = command.into();
    event.to_string().into_bytes()
}

#[test]
fn a_command_that_changes_a_lock_file_is_refused() {
    run_recorded(protect_files::DEF, &running("cargo update && cat Cargo.lock")).assert_passed();
    run_recorded(
        protect_files::DEF,
        &running("cd /home/user/project && sed -i s/1/2/ Cargo.lock"),
    )
    .assert_denied("`/home/user/project/Cargo.lock` is protected, since its package manager writes it");
}

#[test]
fn a_command_that_may_change_one_is_asked_about() {
    run_recorded(protect_files::DEF, &running("touch \"$folder/Cargo.lock\"")).assert_asked(
        "not all of the command is known before it runs, and it may change this: `Cargo.lock` may be protected, since",
    );
}

#[test]
fn reading_is_free() {
    run_recorded(protect_files::DEF, &about(READ, "Cargo.lock")).assert_passed();
}

#[test]
fn it_refuses_what_it_cannot_decode() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{}}"#;
    run_recorded(protect_files::DEF, event).assert_denied("missing field `path`");
}
