//! Tests of `break_loops` on recorded events.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::loops::{Loops, break_loops, count_failures};
use serde_json::json;

fn end_batch(session: &Session) -> Verdict {
    session.run(break_loops::DEF, &Recorded::of("PostToolBatch").with("tool_calls", json!([])))
}

/// Makes a call fail, and ends its batch.
fn fail(session: &Session, event: &Recorded) -> Verdict {
    session.run(count_failures::DEF, event).assert_passed();
    end_batch(session)
}

#[test]
fn the_third_failure_is_reported_and_the_fifth_ends_the_turn() {
    let session = Session::new();
    let failure = Recorded::of("PostToolUseFailure Bash");
    for description in ["Run it", "Try again"] {
        fail(&session, &failure.clone().with("tool_input.description", description)).assert_passed();
    }
    end_batch(&session).assert_passed();
    let verdict = fail(&session, &failure);
    verdict.assert_model_reads("the same Bash call fails in the same way, 3 times in this turn").assert_goes_ahead();
    end_batch(&session).assert_passed();
    fail(&session, &failure).assert_model_reads("4 times in this turn. Do not repeat it");
    fail(&session, &failure)
        .assert_turn_ended("fails in the same way, 5 times in this turn. Write a prompt to continue");
    // The next turn resets the count.
    fail(&session, &failure.with("prompt_id", "another")).assert_passed();
}

#[test]
fn other_calls_errors_agents_and_interrupts_are_not_counted() {
    let session = Session::new();
    let failure = Recorded::of("PostToolUseFailure Bash");
    for number in 0..6 {
        fail(&session, &failure.clone().with("error", format!("{number} failed"))).assert_passed();
        fail(&session, &failure.clone().with("tool_input.command", format!("test {number}"))).assert_passed();
        fail(&session, &failure.clone().with("agent_id", format!("a{number}"))).assert_passed();
        fail(&session, &failure.clone().with("is_interrupt", true)).assert_passed();
    }
}

#[test]
fn an_agent_does_not_end_the_turn_of_another_one() {
    let session = Session::new();
    let failure = Recorded::of("PostToolUseFailure Bash").with("agent_id", "a1");
    for _ in 0..5 {
        fail(&session, &failure).assert_passed();
    }
    let batch = Recorded::of("PostToolBatch").with("tool_calls", json!([]));
    session.run(break_loops::DEF, &batch.with("agent_id", "a1")).assert_turn_ended("5 times in this turn");
}

#[test]
fn an_edit_back_and_forth_is_a_loop() {
    let mut session = Session::new();
    session.configure(break_loops::DEF, &Loops { message: 2, stop: 3 });
    let edit = |old: &str, new: &str| {
        let input = json!({"file_path": "/a.rs", "old_string": old, "new_string": new});
        let calls =
            json!([{"tool_name": "Edit", "tool_input": input, "tool_use_id": "toolu_1", "tool_response": "done"}]);
        session.run(break_loops::DEF, &Recorded::of("PostToolBatch").with("tool_calls", calls))
    };
    edit("a", "b").assert_passed();
    edit("b", "a").assert_passed();
    edit("a", "b").assert_model_reads("the same edit by Edit, 2 times");
    edit("b", "c").assert_passed();
    edit("b", "a").assert_model_reads("2 times");
    edit("a", "b").assert_turn_ended("the same edit by Edit, 3 times");
}
