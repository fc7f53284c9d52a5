//! Tests of `hold_subagents` on recorded events.

use hookkit::Hook;
use hookkit::testing::{Recorded, Session, Verdict};
use hookkit_session::subagents::{Subagents, count_subagents, hold_subagents};
use serde_json::json;

fn call(session: &Session) -> Verdict {
    session.run(hold_subagents::DEF, &Recorded::of("PreToolUse Agent"))
}

fn count(session: &Session, event: &str, id: &str) {
    let event = Recorded::of(event).with("agent_type", "general-purpose");
    session.run(count_subagents::DEF, &event.with("agent_id", id)).assert_passed();
}

fn session(limits: Subagents) -> Session {
    let mut session = Session::new();
    session.configure(hold_subagents::DEF, &limits);
    session
}

#[test]
fn as_many_run_at_once_as_the_limit_says() {
    let session = session(Subagents { at_once: 2, ..Subagents::default() });
    call(&session).assert_passed();
    call(&session).assert_passed();
    call(&session).assert_denied("2 subagents are already running, which is the limit");
    for id in ["a1", "a2"] {
        count(&session, "SubagentStart", id);
    }
    call(&session).assert_denied("2 subagents are already running");
    count(&session, "SubagentStop", "a1");
    call(&session).assert_passed();
    call(&session).assert_denied("2 subagents are already running");
    // At the end of a turn, subagents in the background still run.
    count(&session, "SubagentStart", "a3");
    let task = json!([{"id": "a3", "type": "subagent", "status": "running", "description": "x"}]);
    session.run(count_subagents::DEF, &Recorded::of("Stop").with("background_tasks", task)).assert_passed();
    call(&session).assert_passed();
    call(&session).assert_denied("2 subagents are already running");
}

#[test]
fn a_subagent_is_not_deeper_than_the_limit() {
    let mut session = session(Subagents { depth: 2, ..Subagents::default() });
    call(&session).assert_passed();
    count(&session, "SubagentStart", "a1");
    session.context_mut().agent_id = Some("a1".to_owned());
    call(&session).assert_passed();
    count(&session, "SubagentStart", "a2");
    session.context_mut().agent_id = Some("a2".to_owned());
    call(&session).assert_denied("would be 3 levels below the session, and the limit is 2");
}

#[test]
fn a_model_that_is_not_in_the_list_is_denied() {
    let models = vec!["haiku".to_owned(), "sonnet".to_owned()];
    let session = session(Subagents { models, ..Subagents::default() });
    let run = |model: &str| {
        session.run(hold_subagents::DEF, &Recorded::of("PreToolUse Agent").with("tool_input.model", model))
    };
    run("opus").assert_denied("do not run with the model `opus` here: use one of `haiku`, `sonnet`");
    run("sonnet").assert_passed();
    call(&session).assert_passed();
}
