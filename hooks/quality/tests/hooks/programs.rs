//! Tests of `format_on_edit` and `check_before_stop` on recorded events, with shell scripts as programs.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_quality::format::format_on_edit;
use hookkit_quality::gate::check_before_stop;

/// Returns the recorded changes of a session's file, one by each tool.
fn changes(session: &Session, file: &str) -> [Recorded; 2] {
    ["PostToolUse Edit", "PostToolUse Write"]
        .map(|event| Recorded::of(event).with("tool_input.file_path", session.path(file)))
}

#[test]
fn an_edited_rust_file_is_formatted_in_silence() {
    if !test_support::is_installed("rustfmt", "an_edited_rust_file_is_formatted_in_silence") {
        return;
    }
    let session = Session::new();
    session.write("Cargo.toml", "[package]\nname = 'a'\nedition = '2021'\n");
    for event in changes(&session, "lib.rs") {
        // A module that is not yet written, and one whose style is its own business.
        session.write("lib.rs", "mod other;\nmod unwritten;\nasync  fn f ( ) { }\n");
        session.write("other.rs", "fn  g ( ) { }\n");
        session.run(format_on_edit::DEF, &event).assert_passed();
        assert_eq!(session.read("lib.rs"), "mod other;\nmod unwritten;\nasync fn f() {}\n");
        assert_eq!(session.read("other.rs"), "fn  g ( ) { }\n");
    }
}

#[test]
fn a_syntax_error_is_reported_to_the_model_and_the_file_stays() {
    if !test_support::is_installed("rustfmt", "a_syntax_error_is_reported_to_the_model_and_the_file_stays") {
        return;
    }
    let session = Session::new();
    session.write("src/main.rs", "fn main( {\n");
    let [edit, _] = changes(&session, "src/main.rs");
    session
        .run(format_on_edit::DEF, &edit)
        .assert_goes_ahead()
        .assert_model_reads("`rustfmt` could not format `src/main.rs`:\n\nerror: ")
        .assert_model_reads("--> main.rs:1:");
    assert_eq!(session.read("src/main.rs"), "fn main( {\n");
}

#[test]
fn a_file_that_no_formatter_knows_is_left_alone_in_silence() {
    let session = Session::new();
    for event in changes(&session, "new.txt") {
        session.run(format_on_edit::DEF, &event).assert_passed();
    }
}

#[test]
fn the_model_reads_what_a_formatter_took_away() {
    let session = Session::new();
    session.write("package.json", r#"{"prettier": {}}"#);
    session.program(session.path("node_modules/.bin/prettier"), "for file; do :; done; sed -i /^import/d \"$file\"");
    let text = "import { readFile } from 'fs'\nconst a = 1\n";
    for (event, member) in changes(&session, "a.ts").into_iter().zip(["new_string", "content"]) {
        session.write("a.ts", text);
        let event = event.with(&format!("tool_input.{member}"), text);
        session.run(format_on_edit::DEF, &event).assert_goes_ahead().assert_model_reads(
            "that this edit had just added:\n\nimport { readFile } from 'fs'\n\nThey are not in the file now",
        );
        assert_eq!(session.read("a.ts"), "const a = 1\n");
        session.run(format_on_edit::DEF, &event).assert_passed();
    }
}

/// Returns a session in a project with a check that notes each run and ends with the command `end`.
fn with_check(end: &str) -> Session {
    let session = Session::new();
    let script = format!("echo run >> runs\necho 'two tests failed' >&2\n{end}");
    session.program(session.path(".claude/check"), &script);
    session
}

#[test]
fn a_failed_check_holds_the_turn_once() {
    let session = with_check("exit 1");
    let stop = Recorded::of("Stop");
    session.run(check_before_stop::DEF, &stop).assert_kept_going(
        "`.claude/check` failed (exit status: 1). Fix what it found before you finish, and report \
             to the user what cannot be fixed.\n\ntwo tests failed",
    );
    assert_eq!(session.read("runs"), "run\n");
    let again = stop.with("stop_hook_active", true);
    session.run(check_before_stop::DEF, &again).assert_passed();
    assert_eq!(session.read("runs"), "run\n");
}

#[test]
fn a_turn_ends_where_the_check_passes_or_there_is_none() {
    let session = with_check("exit 0");
    let stop = Recorded::of("Stop");
    session.run(check_before_stop::DEF, &stop).assert_passed();
    assert_eq!(session.read("runs"), "run\n");
    Session::new().run(check_before_stop::DEF, &stop).assert_passed();
}

#[test]
fn a_check_that_cannot_run_is_reported_and_does_not_hold_the_turn() {
    let session = Session::new();
    session.write(".claude/check/file", "");
    session.run(check_before_stop::DEF, &Recorded::of("Stop")).assert_goes_ahead().assert_failed("`");
}
