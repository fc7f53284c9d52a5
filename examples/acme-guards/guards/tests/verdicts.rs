//! What the client makes of the guards' answers.

use acme_guards::git::no_force_push;
use hookkit::protocol::event;
use hookkit::testing::{Action, Ran, Verdict};
use hookkit::{Hook, Payload, respond};

fn verdict(command: &str) -> Verdict {
    let payload = format!(
        r#"{{"session_id":"1","transcript_path":"/t.jsonl","cwd":"/project","permission_mode":"default",
            "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"1"}}"#
    );
    let payload = Payload::parse(payload.as_bytes()).expect("it is JSON");
    let response = respond(no_force_push::DEF, &payload);
    Verdict::of(&event::PRE_TOOL_USE, &Ran::from(response).target("Bash"))
}

#[test]
fn a_forced_push_is_refused() {
    let verdict = verdict("git push --force origin main");
    assert_eq!(verdict.action, Action::Refused);
    assert!(verdict.model_reads[0].text.contains("--force-with-lease"), "{verdict}");
}

#[test]
fn any_other_push_takes_its_course() {
    assert_eq!(verdict("git push --force-with-lease").action, Action::GoesOn);
}
