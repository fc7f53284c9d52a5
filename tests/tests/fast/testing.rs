//! `hookkit::testing`, as an author's tests use it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hookkit::prelude::*;
use hookkit::testing::{Verdict, run, run_in, run_recorded};
use hookkit::{Context, Hook, tool};
use hookkit_tests::prelude::*;

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

/// Returns the message of an assertion that fails.
fn message(assertion: impl FnOnce(&Verdict) -> &Verdict, verdict: &Verdict) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(|| _ = assertion(verdict))).err()?;
    payload.downcast_ref::<String>().cloned()
}

/// Returns `true` if an assertion fails, with the verdict in its message.
fn fails(assertion: impl FnOnce(&Verdict) -> &Verdict, verdict: &Verdict) -> bool {
    message(assertion, verdict)
        .is_some_and(|message| message.starts_with("expected: ") && message.contains(&format!("\n{verdict}\n")))
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
    changed.assert_allowed().assert_updated_input(&json!({"command": "true"}));
    let other = json!({"command": "false"});
    assert!(fails(|verdict| verdict.assert_updated_input(&other), &changed));
}

#[test]
fn a_session_says_where_it_is_and_a_recorded_event_is_run() -> Result<()> {
    let mut context = Context::default();
    context.cwd = "/elsewhere".into();
    let call = PreToolUse::new("Bash", tool::Bash::new("where"));
    run_in(&context, hooks::decide::DEF, &call).assert_denied("/elsewhere");
    let stop = payload("Stop")?;
    run_recorded(hooks::go_on::DEF, stop.as_bytes()).assert_kept_going("run the tests");
    // What its matcher does not admit, and the client would not have called it on.
    let call = PreToolUse::new("Read", tool::Bash::new("deny"));
    run(hooks::decide::DEF, &call).assert_not_called();
    Ok(())
}

#[test]
fn a_failed_assertion_shows_what_was_expected_what_came_and_what_holds() {
    let because = "because exit code 0 without JSON leaves the decision to Claude Code (seen in client 2.1.332)";
    for (command, expected) in [
        (
            "pass",
            format!(
                "expected: the hook denies it, with the reason \"nowhere\"; got:\n\
                 the tool call goes ahead\n{because}\n\
                 these hold: assert_passed()"
            ),
        ),
        (
            "deny",
            "expected: the hook denies it, with the reason \"nowhere\"; got:\n\
             the tool call is denied\n\
             the model reads, as the tool's error: PreToolUse:Bash hook error: not here\n\
             because `permissionDecision: \"deny\"` denies (seen in client 2.1.332)\n\
             these hold: assert_denied(\"not here\")"
                .to_owned(),
        ),
    ] {
        let message = message(|verdict| verdict.assert_denied("nowhere"), &decide(command));
        assert_eq!(message.as_deref(), Some(&*expected));
    }
    for (command, holds) in [
        ("allow", "assert_allowed()"),
        ("ask", "assert_asked(\"really?\"), assert_model_reads("),
        ("fail", "assert_failed(\"the disk is full\"), assert_denied(\""),
        ("change", "assert_allowed(), assert_effect(\"updatedInput\", …)"),
    ] {
        let message = message(|verdict| verdict.assert_user_sees("nothing"), &decide(command)).expect("it fails");
        let holding = message.lines().last().unwrap_or_default();
        assert!(holding.contains(holds), "{command}: {message}");
    }
    let call = PreToolUse::new("Read", tool::Read::new("/a"));
    let verdict = run(hooks::decide::DEF, &call);
    verdict.assert_not_called();
    let message = message(|verdict| verdict.assert_allowed(), &verdict).expect("it fails");
    message.has("got:\nthe hook is not called: `Bash` does not match `Read`\n");
    message.ends("these hold: assert_not_called(), assert_goes_ahead()");
}
