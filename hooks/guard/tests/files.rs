//! `protect_secrets` on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use hookkit::{Hook, Payload, Response, respond};
use hookkit_guard::files::protect_secrets;
use serde_json::{Value, json};

const READ: &str = include_str!("fixtures/pre_tool_use/read.json");
const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");

fn answer(event: &str) -> Response {
    respond(protect_secrets::DEF, &Payload::parse(event.as_bytes()).unwrap())
}

/// The recorded event, about another file.
fn about(event: &str, file: &Path) -> String {
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["tool_input"]["file_path"] = file.to_str().into();
    event.to_string()
}

fn denied(reason: &str) -> Value {
    json!({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        },
    })
}

fn assert_denied(response: &Response, reason: &str) {
    assert_eq!(
        serde_json::from_slice::<Value>(&response.stdout).unwrap(),
        denied(reason)
    );
    assert_eq!((response.exit_code, response.stderr.as_str()), (0, ""));
}

#[test]
fn an_ordinary_file_gets_no_opinion() {
    for event in [READ, EDIT, WRITE] {
        assert_eq!(answer(event), Response::default());
    }
}

#[test]
fn reading_editing_and_writing_a_secret_is_refused() {
    for event in [READ, EDIT, WRITE] {
        assert_denied(
            &answer(&about(event, Path::new("/home/user/project/.env"))),
            "`/home/user/project/.env` is an environment file, and such files hold secrets. Do not try to reach it in \
             another way: ask the user to make the change, or to tell you what you need to know without the secret itself",
        );
    }
}

#[test]
fn a_refused_link_is_named_with_what_it_leads_to() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    std::fs::write(project.join("server.key"), "the key").unwrap();
    std::os::unix::fs::symlink("server.key", project.join("notes.txt")).unwrap();
    assert_denied(
        &answer(&about(READ, &project.join("notes.txt"))),
        &format!(
            "`{0}/notes.txt` leads to `{0}/server.key`, a private key or a key store, and such files hold secrets. Do not \
             try to reach it in another way: ask the user to make the change, or to tell you what you need to know \
             without the secret itself",
            project.display()
        ),
    );
}

#[test]
fn it_refuses_what_it_cannot_decode() {
    let response = answer(r#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}"#);
    assert_eq!(response.exit_code, 2);
    let answer: Value = serde_json::from_slice(&response.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}
