//! Tests of `hold_budget` on a recorded event, with a transcript.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_session::budget::{Budget, hold_budget};
use serde_json::json;

#[test]
fn the_turn_ends_when_the_budget_is_used_up_and_goes_on_after_a_prompt() {
    let mut session = Session::new();
    let budget = Budget { output_tokens: 100, request_tokens: 0 };
    session.configure(hold_budget::DEF, &budget);
    let usage = json!({"input_tokens": 10, "output_tokens": 60, "cache_read_input_tokens": 9000});
    let reply = |session: &Session| _ = session.transcript().reply_with("", &usage);
    let run = |session: &Session| session.run(hold_budget::DEF, &Recorded::of("PostToolBatch"));
    reply(&session);
    run(&session).assert_passed();
    reply(&session);
    run(&session)
        .assert_turn_ended("this session has used 120 tokens of output; the budget is 100. Write a prompt to continue");
    run(&session).assert_passed();
    reply(&session);
    reply(&session);
    run(&session).assert_turn_ended("the budget is 100");
    for _ in 0..100 {
        reply(&session);
    }
    session.configure(hold_budget::DEF, &Budget::default());
    run(&session).assert_passed();
}

#[test]
fn the_tokens_of_subagents_count() {
    let mut session = Session::new();
    let budget = Budget { output_tokens: 100, request_tokens: 0 };
    session.configure(hold_budget::DEF, &budget);
    let usage = json!({"input_tokens": 10, "output_tokens": 60});
    session.transcript().reply_with("", &usage);
    let rows = std::fs::read_to_string(&session.context().transcript_path).unwrap();
    let row = rows.replace("\"isSidechain\":false", "\"isSidechain\":true");
    let folder = session.context().transcript_path.with_extension("").join("subagents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("agent-a1.jsonl"), row).unwrap();
    std::fs::write(folder.join("agent-a1.meta.json"), "{}").unwrap();
    let verdict = session.run(hold_budget::DEF, &Recorded::of("PostToolBatch"));
    verdict.assert_turn_ended("this session has used 120 tokens of output");
}
