//! What Claude Code makes of the hooks' answers, on events that were recorded in one of its sessions.

use hookkit::protocol::event;
use hookkit::testing::{Action, Ran, Verdict};
use hookkit::{Hook, Payload, respond};
use @crate@::lock_files::@function@;

const EDIT: &str = include_str!("payloads/edit.json");

fn verdict(payload: &str) -> Verdict {
    let payload = Payload::parse(payload.as_bytes()).expect("it is JSON");
    let response = respond(@function@::DEF, &payload);
    Verdict::of(&event::PRE_TOOL_USE, &Ran::from(response).target("Edit"))
}

#[test]
fn an_edit_takes_its_course() {
    assert_eq!(verdict(EDIT).action, Action::GoesOn);
}

#[test]
fn the_model_reads_why_a_lock_file_is_not_edited() {
    let verdict = verdict(&EDIT.replace("@file@", "Cargo.lock"));
    assert_eq!(verdict.action, Action::Refused);
    assert!(verdict.model_reads[0].text.contains("cargo writes this file"), "{verdict}");
}
