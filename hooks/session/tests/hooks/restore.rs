//! Tests of `restore_context`.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::restore::{Restored, restore_context};
use hookkit_session::transcript::keep_transcript;
use serde_json::json;

fn compacted(session: &Session) -> Verdict {
    session.run(restore_context::DEF, &Recorded::of("SessionStart compact"))
}

#[test]
fn a_project_without_anything_to_restore_is_silent() {
    compacted(&Session::new()).assert_passed();
}

#[test]
fn other_starts_are_not_looked_at() {
    let session = Session::new();
    session.write(".claude/keep.md", "Rules.\n");
    for source in ["startup", "resume"] {
        session.run(restore_context::DEF, &Recorded::of(&format!("SessionStart {source}"))).assert_not_called();
    }
}

#[test]
fn rules_prompt_list_branch_and_copy_come_back_in_this_order() {
    let session = Session::new();
    session.repository().write(".claude/keep.md", "Never push.\n");
    session.commit("One");
    session.write("notes.txt", "");
    let todo = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": content});
    let list = json!({"todos": [todo("read", "completed"), todo("fix", "in_progress"), todo("test", "pending")]});
    session.transcript().prompt("Fix the parser").called("TodoWrite", &list, json!({}));
    session.run(keep_transcript::DEF, &Recorded::of("PreCompact")).assert_goes_ahead();
    let verdict = compacted(&session);
    let text = &verdict.model_reads[0].text;
    let parts = [
        "The rules of the project (`.claude/keep.md`):\nNever push.",
        "The user's last prompt:\nFix the parser",
        "The to-do list:\n- fix (in_progress)\n- test (pending)\n",
        "On branch `main`",
        "- untracked: notes.txt",
        "The conversation before the compaction is in `",
    ];
    let places: Vec<_> =
        parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"))).collect();
    assert!(places.is_sorted(), "{text}");
    let (_, copy) = text.rsplit_once(" is in `").unwrap();
    let copy = std::fs::read_to_string(copy.split('`').next().unwrap()).unwrap();
    assert!(copy.contains("Fix the parser"));
}

#[test]
fn a_budget_cuts_the_end() {
    let mut session = Session::new();
    session.write(".claude/keep.md", "ä".repeat(1000));
    session.repository();
    let config = Restored { tokens: 25, ..Restored::default() };
    session.configure(restore_context::DEF, &config);
    let verdict = compacted(&session);
    let text = &verdict.model_reads[0].text;
    let (_, text) = text.split_once("The rules").unwrap();
    assert!(text.len() < 120 && text.ends_with("ä\n[the rest is left out]"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_link_of_the_checkout_is_an_error() {
    let session = Session::new();
    let secret = session.write("~/secret", "token\n");
    std::fs::create_dir(session.path(".claude")).unwrap();
    std::os::unix::fs::symlink(secret, session.path(".claude/keep.md")).unwrap();
    let verdict = compacted(&session);
    verdict.assert_failed("it is a link");
    assert!(!format!("{verdict:?}").contains("token"));
}
