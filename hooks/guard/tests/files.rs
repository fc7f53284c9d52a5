//! `protect_secrets` on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use hookkit::Hook;
use hookkit::testing::run_recorded;
use hookkit_guard::files::protect_secrets;
use serde_json::{Value, json};

const READ: &str = include_str!("fixtures/pre_tool_use/read.json");
const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const BASH: &str = include_str!("fixtures/pre_tool_use/bash.json");
const NOTEBOOK: &str = include_str!("fixtures/pre_tool_use/notebook_edit.json");
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
fn a_notebook_a_search_and_a_command_are_looked_at_too() {
    let with = |event: &str, tool: &str, input: Value| {
        let mut event: Value = serde_json::from_str(event).unwrap();
        event["tool_name"] = tool.into();
        event["tool_input"] = input;
        run_recorded(protect_secrets::DEF, event.to_string().as_bytes())
    };
    let notebook = json!({"notebook_path": "/home/user/project/.env", "new_source": "x"});
    if cfg!(unix) {
        with(NOTEBOOK, "NotebookEdit", notebook).assert_denied("`/home/user/project/.env` is an environment file");
        let search = |path: &str, mode: &str| json!({"pattern": "TOKEN", "path": path, "output_mode": mode});
        with(READ, "Grep", search("/home/user/project/.env", "content")).assert_denied("an environment file");
        with(READ, "Grep", search("/home/user/.ssh", "count")).assert_denied("a folder of files that hold secrets");
        with(READ, "Grep", search("/home/user/.ssh", "files_with_matches")).assert_passed();
        with(READ, "Grep", search("/home/user/project", "content")).assert_passed();
    }
    with(READ, "Grep", json!({"pattern": "TOKEN"})).assert_passed();
    let command = |command: &str| json!({"command": command, "description": "Run it"});
    with(BASH, "Bash", command("cat .env")).assert_denied("`cat` reads `.env`, an environment file");
    with(BASH, "Bash", command("ls .env")).assert_passed();
    with(BASH, "Bash", command("cat \"$d/.env\""))
        .assert_asked("and `cat` reads `.env`, an environment file; such files");
    with(BASH, "PowerShell", command("Get-Content .env")).assert_asked("the command names `.env`, an environment file");
    with(BASH, "PowerShell", command("Get-ChildItem")).assert_passed();
}

#[test]
fn it_denies_what_it_cannot_decode() {
    let event = br#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{}}"#;
    run_recorded(protect_secrets::DEF, event).assert_denied("missing field `path`");
}
