//! The pack's hooks on recorded events, with programs that are scripts of a shell.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::process::Command;

use hookkit::{Hook, HookDef, Payload, Response, respond};
use hookkit_quality::format::format_on_edit;
use hookkit_quality::gate::check_before_stop;
use serde_json::{Value, json};

const EDIT: &str = include_str!("fixtures/post_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/post_tool_use/write.json");
const STOP: &str = include_str!("fixtures/stop/stop.json");

/// Answers a recorded event, in another project and after a change to it.
fn answer(hook: &HookDef, event: &str, project: &Path, change: impl FnOnce(&mut Value)) -> Response {
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["cwd"] = project.to_str().into();
    change(&mut event);
    respond(hook, &Payload::parse(event.to_string().as_bytes()).unwrap())
}

/// The answer's JSON, of a hook that did not fail.
fn json(response: &Response) -> Value {
    assert_eq!((response.exit_code, response.stderr.as_str()), (0, ""));
    serde_json::from_slice(&response.stdout).unwrap()
}

#[test]
fn an_edited_rust_file_is_formatted_in_silence() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    fs::write(project.join("Cargo.toml"), "[package]\nname = 'a'\nedition = '2021'\n").unwrap();
    for event in [EDIT, WRITE] {
        // A module that is not yet written, and one whose style is its own business.
        let file = project.join("lib.rs");
        fs::write(&file, "mod other;\nmod unwritten;\nasync  fn f ( ) { }\n").unwrap();
        fs::write(project.join("other.rs"), "fn  g ( ) { }\n").unwrap();
        let response = answer(format_on_edit::DEF, event, project, |event| {
            event["tool_input"]["file_path"] = file.to_str().into();
        });
        assert_eq!(response, Response::default());
        let formatted = fs::read_to_string(&file).unwrap();
        assert_eq!(formatted, "mod other;\nmod unwritten;\nasync fn f() {}\n");
        assert_eq!(fs::read_to_string(project.join("other.rs")).unwrap(), "fn  g ( ) { }\n");
    }
}

#[test]
fn a_syntax_error_is_reported_to_the_model_and_the_file_stays() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    fs::create_dir(project.join("src")).unwrap();
    let file = project.join("src/main.rs");
    fs::write(&file, "fn main( {\n").unwrap();
    let response = answer(format_on_edit::DEF, EDIT, project, |event| {
        event["tool_input"]["file_path"] = file.to_str().into();
    });
    let mut answer = json(&response);
    let context = answer["hookSpecificOutput"]["additionalContext"].take();
    assert_eq!(
        answer,
        json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": null}})
    );
    let context = context.as_str().unwrap();
    assert!(
        context.starts_with("`rustfmt` could not format `src/main.rs`:\n\nerror: "),
        "{context}"
    );
    assert!(context.contains("--> main.rs:1:"), "{context}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "fn main( {\n");
}

#[test]
fn a_file_that_no_formatter_knows_is_left_alone_in_silence() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    for event in [EDIT, WRITE] {
        let response = answer(format_on_edit::DEF, event, project, |_| {});
        assert_eq!(response, Response::default());
    }
}

/// Puts a check into the project that notes each run, and ends as `end` says.
fn install_check(project: &Path, end: &str) {
    let script = format!("#!/bin/sh\necho run >> runs\necho 'two tests failed' >&2\n{end}\n");
    fs::create_dir(project.join(".claude")).unwrap();
    // A child process writes it: a file that is open in this one could be handed on to a program that another test
    // starts at the same moment, and a script that is open for writing cannot be run.
    let done = Command::new("/bin/sh")
        .args([
            "-c",
            r#"printf '%s' "$1" > .claude/check && chmod +x .claude/check"#,
            "sh",
        ])
        .arg(script)
        .current_dir(project)
        .status();
    assert!(done.unwrap().success());
}

fn runs(project: &Path) -> usize {
    fs::read_to_string(project.join("runs"))
        .unwrap_or_default()
        .lines()
        .count()
}

#[test]
fn a_failed_check_holds_the_turn() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    install_check(project, "exit 1");
    let response = answer(check_before_stop::DEF, STOP, project, |_| {});
    assert_eq!(
        json(&response),
        json!({
            "decision": "block",
            "reason": "`.claude/check` failed (exit status: 1). Fix what it found before you finish; what cannot be \
                       fixed, tell the user.\n\ntwo tests failed",
        })
    );
    assert_eq!(runs(project), 1);
}

#[test]
fn a_turn_that_was_held_once_is_not_checked_again() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    install_check(project, "exit 1");
    let response = answer(check_before_stop::DEF, STOP, project, |event| {
        event["stop_hook_active"] = true.into();
    });
    assert_eq!(response, Response::default());
    assert_eq!(runs(project), 0);
}

#[test]
fn a_check_that_passes_lets_the_turn_end() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    install_check(project, "exit 0");
    let response = answer(check_before_stop::DEF, STOP, project, |_| {});
    assert_eq!(response, Response::default());
    assert_eq!(runs(project), 1);
}

#[test]
fn a_project_without_a_check_ends_its_turns() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    let response = answer(check_before_stop::DEF, STOP, project, |_| {});
    assert_eq!(response, Response::default());
}

#[test]
fn a_check_that_cannot_run_is_reported_and_does_not_hold_the_turn() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    fs::create_dir_all(project.join(".claude/check")).unwrap();
    let response = answer(check_before_stop::DEF, STOP, project, |_| {});
    assert_eq!((response.stdout.as_slice(), response.exit_code), (&b""[..], 1));
    let message = "hookkit: hook `check-before-stop` failed: `";
    assert!(response.stderr.starts_with(message), "{}", response.stderr);
}
