//! Tests of `chezmoi_reminder`, with a stub for chezmoi.

use std::os::unix::fs::symlink;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::chezmoi::chezmoi_reminder;

const EVENTS: [&str; 2] = ["PostToolUse Edit", "PostToolUse Write"];

/// Returns a session with a `chezmoi` that manages `~/.rc`, and `~/made` from a template.
fn session() -> Session {
    let session = Session::new();
    session.program("chezmoi", include_str!("../fixtures/chezmoi.sh"));
    session
}

fn run(session: &Session, event: &str, file: &str) -> Verdict {
    let event = Recorded::of(event).with("tool_input.file_path", session.path(file));
    session.run(chezmoi_reminder::DEF, &event)
}

#[test]
fn an_edit_of_a_managed_file_is_to_be_brought_into_the_source() {
    let session = session();
    let home = session.path("~").display().to_string();
    for event in EVENTS {
        run(&session, event, "~/.rc").assert_model_reads(&format!("run `chezmoi re-add {home}/.rc`"));
        run(&session, event, "~/made").assert_model_reads(&format!("from a template, `{home}/source/made.tmpl`"));
    }
}

#[test]
fn other_files_are_edited_in_silence() {
    for event in EVENTS {
        run(&session(), event, "~/other").assert_passed();
    }
}

#[test]
fn a_link_into_the_source_is_edited_in_silence() {
    let session = session();
    let source = session.write("~/source/dot_rc", "");
    symlink(source, session.path("~/.rc")).unwrap();
    run(&session, EVENTS[0], "~/.rc").assert_passed();
}

#[test]
fn without_chezmoi_nothing_is_said() {
    let mut session = Session::new();
    session.set("PATH", session.bin());
    run(&session, EVENTS[0], "~/.rc").assert_passed();
    session.set("PATH", "");
    run(&session, EVENTS[0], "~/.rc").assert_passed();
    // One that lies in the session's folder is not installed.
    session.set("PATH", ".");
    session.program(session.path("chezmoi"), "echo /source");
    run(&session, EVENTS[0], "~/.rc").assert_passed();
    assert!(session.started().is_empty());
}
