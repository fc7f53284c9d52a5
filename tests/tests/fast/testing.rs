//! `hookkit::testing`, as an author's tests use it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hookkit::prelude::*;
use hookkit::testing::{Verdict, run, run_in, run_recorded};
use hookkit::{Hook, tool};
use hookkit_tests::xtask::payload;
use serde_json::json;

#[allow(unreachable_pub, reason = "a hook is public")]
mod hooks {
    use hookkit::prelude::*;

    /// Decides by the command.
    #[hook(PreToolUse, matcher = "Bash")]
    pub fn decide(call: PreToolUse<tool::Bash>, context: Context) -> Result<PreToolUseAnswer<tool::Bash>, Error> {
        Ok(match &*call.input.command {
            "deny" => PreToolUseAnswer::deny("not here"),
            "allow" => PreToolUseAnswer::allow(),
            "ask" => PreToolUseAnswer::ask("really?"),
            "where" => PreToolUseAnswer::deny(context.cwd.display().to_string()),
            "fail" => return Err(Error::msg("the disk is full")),
            "change" => PreToolUseAnswer::allow().with_updated_input(tool::Bash::new("true")),
            _ => PreToolUseAnswer::pass(),
        })
    }

    /// Goes on once.
    #[hook(Stop)]
    pub fn go_on(stop: Stop) -> StopAnswer {
        StopAnswer::block_once(&stop, "run the tests")
    }
}

fn decide(command: &str) -> Verdict {
    run(hooks::decide::DEF, &PreToolUse::new("Bash", tool::Bash::new(command)))
}

/// Returns `true` if an assertion fails, with the verdict in its message.
fn fails(assertion: impl FnOnce(&Verdict) -> &Verdict, verdict: &Verdict) -> bool {
    let asserted = catch_unwind(AssertUnwindSafe(|| _ = assertion(verdict)));
    let Err(payload) = asserted else { return false };
    let message = payload.downcast_ref::<String>();
    message.is_some_and(|message| message.starts_with("expected: ") && message.ends_with(&format!(":\n{verdict}")))
}

#[test]
fn each_assertion_holds_for_what_it_is_about_and_for_nothing_else() {
    type Assertion = fn(&Verdict) -> &Verdict;
    let assertions: [(&str, Assertion); 6] = [
        ("pass", |verdict| verdict.assert_passed()),
        ("deny", |verdict| verdict.assert_denied("not here")),
        ("allow", |verdict| verdict.assert_allowed()),
        ("ask", |verdict| verdict.assert_asked("really?")),
        ("fail", |verdict| verdict.assert_denied("the disk is full")),
        ("where", |verdict| verdict.assert_denied("/project")),
    ];
    for (command, _) in assertions {
        let verdict = decide(command);
        for (about, assertion) in assertions {
            assert_eq!(fails(assertion, &verdict), command != about, "{command}, {about}");
        }
    }
}

#[test]
fn a_text_has_to_be_the_one_that_is_reported() {
    let denied = decide("deny");
    denied.assert_model_reads("PreToolUse:Bash").assert_denied("here");
    assert!(fails(|verdict| verdict.assert_denied("there"), &denied));
    assert!(fails(|verdict| verdict.assert_user_sees("not here"), &denied));
    assert!(fails(|verdict| verdict.assert_model_reads("here"), &decide("pass")));
}

#[test]
fn a_changed_input_is_compared_as_a_whole() {
    let changed = decide("change");
    changed
        .assert_allowed()
        .assert_updated_input(&json!({"command": "true"}));
    assert!(fails(
        |verdict| verdict.assert_updated_input(&json!({"command": "false"})),
        &changed
    ));
}

#[test]
fn a_session_says_where_it_is_and_a_recorded_event_is_run() -> anyhow::Result<()> {
    let mut context = Context::default();
    context.cwd = "/elsewhere".into();
    let call = PreToolUse::new("Bash", tool::Bash::new("where"));
    run_in(&context, hooks::decide::DEF, &call).assert_denied("/elsewhere");
    let stop = payload("Stop")?;
    run_recorded(hooks::go_on::DEF, stop.as_bytes()).assert_kept_going("run the tests");
    // What its matcher does not admit, and the client would not have called it on.
    let call = PreToolUse::new("Read", tool::Bash::new("deny"));
    run(hooks::decide::DEF, &call).assert_passed();
    Ok(())
}
