//! `hold_budget` on a recorded event, with a transcript.

use std::fs;

use hookkit::Hook;
use hookkit::testing::{Verdict, run_recorded, with_config, with_variables};
use hookkit_session::budget::{Budget, hold_budget};
use serde_json::json;
use tempfile::tempdir;

use crate::changed;

const BATCH: &str = include_str!("../fixtures/post_tool_batch/bash.json");

#[test]
fn the_turn_ends_when_the_budget_is_used_up_and_goes_on_after_a_prompt() {
    let folder = tempdir().unwrap();
    let transcript = folder.path().join("t.jsonl");
    let write = |replies: usize| {
        let reply = |id| {
            let usage = json!({"input_tokens": 10, "output_tokens": 60, "cache_read_input_tokens": 9000});
            let message = json!({"id": id, "role": "assistant", "model": "m", "content": [], "usage": usage});
            json!({"type": "assistant", "isSidechain": false, "message": message}).to_string() + "\n"
        };
        fs::write(
            &transcript,
            (0..replies).map(|n| reply(n.to_string())).collect::<String>(),
        )
        .unwrap();
    };
    let event = changed(BATCH, |event| event["transcript_path"] = transcript.to_str().into());
    let state = [("XDG_STATE_HOME", folder.path().join("state").into_os_string())];
    let run = |budget: &Budget| -> Verdict {
        let run = || run_recorded(hold_budget::DEF, event.as_bytes());
        with_variables(state.clone(), || with_config(budget, run))
    };
    let budget = Budget {
        output_tokens: 100,
        request_tokens: 0,
    };
    write(1);
    run(&budget).assert_passed();
    write(2);
    let verdict = run(&budget);
    verdict
        .assert_model_reads("this session has used 120 tokens of output; the budget is 100. Write a prompt to go on");
    assert!(verdict.ends_turn, "{verdict}");
    run(&budget).assert_passed();
    write(4);
    assert!(run(&budget).ends_turn);
    write(100);
    run(&Budget::default()).assert_passed();
}
