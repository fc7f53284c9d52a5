//! `protect_files` on recorded events.

use hookkit::Hook;
use hookkit::testing::run_recorded;
use hookkit_guard::protected::protect_files;

const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");
const NOTEBOOK_EDIT: &str = include_str!("fixtures/pre_tool_use/notebook_edit.json");
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

#[test]
fn reading_is_free() {
    run_recorded(protect_files::DEF, &about(READ, "Cargo.lock")).assert_passed();
}

#[test]
fn it_refuses_what_it_cannot_decode() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{}}"#;
    run_recorded(protect_files::DEF, event).assert_denied("missing field `path`");
}
