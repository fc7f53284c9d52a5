//! `protect_secrets` on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use hookkit::Hook;
use hookkit::testing::run_recorded;
use hookkit_guard::files::protect_secrets;
use serde_json::Value;

const READ: &str = include_str!("fixtures/pre_tool_use/read.json");
const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");

/// On Windows, the recorded paths need a drive.
fn with_drive(event: &str) -> String {
    let home = if cfg!(windows) { "C:/home" } else { "/home" };
    event.replace("/home", home)
}

/// The recorded event, about another file.
fn about(event: &str, file: &Path) -> String {
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["tool_input"]["file_path"] = file.to_str().into();
    with_drive(&event.to_string())
}

#[test]
fn an_ordinary_file_passes() {
    for event in [READ, EDIT, WRITE] {
        run_recorded(protect_secrets::DEF, with_drive(event).as_bytes()).assert_passed();
    }
}

#[test]
fn reading_editing_and_writing_a_secret_is_denied() {
    for event in [READ, EDIT, WRITE] {
        let event = about(event, Path::new("/home/user/project/.env"));
        run_recorded(protect_secrets::DEF, event.as_bytes()).assert_denied(&with_drive(
            "`/home/user/project/.env` is an environment file, and such files hold secrets. Do not try to reach it in \
             another way: ask the user to make the change, or to tell you what you need to know without the secret itself",
        ));
    }
}

#[cfg(unix)]
#[test]
fn a_denied_link_is_named_with_what_it_leads_to() {
    let project = tempfile::tempdir().unwrap();
    let project = project.path();
    std::fs::write(project.join("server.key"), "the key").unwrap();
    std::os::unix::fs::symlink("server.key", project.join("notes.txt")).unwrap();
    let event = about(READ, &project.join("notes.txt"));
    run_recorded(protect_secrets::DEF, event.as_bytes()).assert_denied(&format!(
        "`{0}/notes.txt` leads to `{0}/server.key`, a private key or a key store, and such files hold secrets. Do not try \
         to reach it in another way: ask the user to make the change, or to tell you what you need to know without the \
         secret itself",
        project.display()
    ));
}

#[test]
fn it_denies_what_it_cannot_decode() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}"#;
    run_recorded(protect_secrets::DEF, event).assert_denied("missing field `file_path`");
}
