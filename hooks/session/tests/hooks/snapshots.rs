//! Tests of `keep_snapshots` and `expire_snapshots`.

use std::fs;

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::snapshot::{expire_snapshots, keep_snapshots};
use hookkit_snapshot::Bounds;
use serde_json::json;

/// Runs the hook before a command.
fn run(session: &Session, command: &str) -> Verdict {
    let event = Recorded::of("PreToolUse Bash").with("tool_input", json!({"command": command}));
    session.run(keep_snapshots::DEF, &event)
}

/// Returns the rows of all stores.
fn rows(session: &Session) -> String {
    let stores = session.states().folder("snapshots").unwrap();
    let stores = fs::read_dir(stores).into_iter().flatten().flatten();
    stores.map(|store| fs::read_to_string(store.path().join("calls.jsonl")).unwrap()).collect()
}

#[test]
fn each_call_that_may_change_files_is_a_row_and_none_that_only_reads() {
    let mut session = Session::new();
    session.write("file", "1");
    test_support::lines!("lines/keep-snapshots.txt").check(|_, line| {
        let before = rows(&session).matches("\"call\"").count();
        run(&session, line).assert_passed();
        match rows(&session).matches("\"call\"").count() - before {
            0 => "reads".to_owned(),
            _ => "kept".to_owned(),
        }
    });
    for event in ["PreToolUse Write", "PreToolUse mcp__srv__echo"] {
        session.write("file", event);
        session.run(keep_snapshots::DEF, &Recorded::of(event)).assert_passed();
        let name = event.split(' ').next_back().unwrap();
        assert!(rows(&session).contains(&format!("\"tool\":\"{name}\"")), "{event}");
    }
    let bounds = Bounds { snapshots: 1, ..Bounds::default() };
    session.configure(keep_snapshots::DEF, &bounds);
    session.write("file", "2");
    run(&session, "rm file");
    session.run(expire_snapshots::DEF, &Recorded::of("SessionStart startup")).assert_passed();
    assert_eq!(rows(&session).matches("\"call\"").count(), 1);
}

#[test]
fn names_that_are_left_out_are_reported_once() {
    let mut session = Session::new();
    let bounds = Bounds { file: 10, ..Bounds::default() };
    session.configure(keep_snapshots::DEF, &bounds);
    for name in ["a", "b", "c", "d"] {
        session.write(name, "longer than ten bytes");
    }
    run(&session, "rm a").assert_goes_ahead().assert_user_sees(
        "Snapshots leave out `a` (larger than the limit `file`), `b` (larger than the limit `file`), `c` (larger than the limit `file`), and 1 more, \
         which `cargo xtask snapshots` lists.",
    );
    run(&session, "rm a").assert_passed();
}

#[test]
fn a_call_goes_ahead_where_no_snapshot_can_be_taken() {
    let session = Session::new();
    let state = session.states().folder("snapshots").unwrap();
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    fs::write(&state, "a file").unwrap();
    run(&session, "rm a").assert_goes_ahead().assert_failed("no snapshot was taken before this call: Not a directory");
    // The home folder is not a project.
    let mut session = Session::new();
    session.start_in("~");
    run(&session, "rm a").assert_goes_ahead().assert_user_sees("it contains your home folder");
    run(&session, "rm a").assert_passed();
}
