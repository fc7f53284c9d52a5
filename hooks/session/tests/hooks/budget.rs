//! `hold_budget` on a recorded event, with a transcript.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session};
use hookkit_session::budget::{Budget, hold_budget};
use serde_json::json;

#[test]
fn the_turn_ends_when_the_budget_is_used_up_and_goes_on_after_a_prompt() {
    let mut session = Session::new();
    let budget = Budget {
        output_tokens: 100,
        request_tokens: 0,
    };
    session.configure(hold_budget::DEF, &budget);
    let usage = json!({"input_tokens": 10, "output_tokens": 60, "cache_read_input_tokens": 9000});
    let reply = |session: &Session| _ = session.transcript().reply_with("", &usage);
    let run = |session: &Session| session.run(hold_budget::DEF, &Recorded::of("PostToolBatch"));
    reply(&session);
    run(&session).assert_passed();
    reply(&session);
    run(&session)
        .assert_turn_ended("this session has used 120 tokens of output; the budget is 100. Write a prompt to go on");
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
