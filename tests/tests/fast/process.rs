//! Hook processes: recorded stdin in, both streams and the exit code out.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::{Answer, binary_has};

fn table() -> Lines<'static> {
    lines!("lines/process.txt")
}

fn binary(hook: &str) -> Result<PathBuf> {
    installed(workspace::installed("fixture-hooks")?.path(), hook)
}

fn run(hook: &str, stdin: &str) -> Result<Answer> {
    run_hook(&binary(hook)?, stdin.as_bytes())
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap_or_else(|err| panic!("{err}: {answer:?}"))
}

#[test]
fn each_event_is_answered_in_its_own_shape() -> Result<()> {
    for row in &table().section("to recorded payloads").rows {
        let [hook, recorded] = row.fields();
        let expected: Value = serde_json::from_str(&row.line)?;
        let answer = run(hook, &payload(recorded)?)?;
        assert_eq!(json_of(&answer), expected, "{hook}");
        assert_eq!((answer.stderr.as_str(), answer.exit_code), ("", Some(0)), "{hook}");
    }
    Ok(())
}

#[test]
fn what_a_handler_or_its_child_prints_never_reaches_the_protocol() -> Result<()> {
    let answer = run("printing-guard", &payload("PreToolUse-Bash")?)?;
    assert_eq!(json_of(&answer)["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer.stderr, "a banner before echo hello\na child's banner\n");
    assert_eq!(answer.exit_code, Some(0));

    let answer = run("overhear", &payload("Notification-idle_prompt")?)?;
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("", Some(0)));
    assert_eq!(answer.stderr, "Claude is waiting for your input\n");
    Ok(())
}

fn assert_silent(answer: &Answer) {
    assert_eq!((&*answer.stdout, &*answer.stderr, answer.exit_code), ("", "", Some(0)));
}

#[test]
fn a_stop_that_was_held_before_is_let_go() -> Result<()> {
    let held = payload("Stop")?.replace("\"stop_hook_active\":false", "\"stop_hook_active\":true");
    assert_silent(&run("hold", &held)?);
    Ok(())
}

#[test]
fn a_matcher_that_does_not_fit_is_not_an_opinion() -> Result<()> {
    for (hook, recorded) in
        [("printing-guard", "PreToolUse-Read"), ("panicking-guard", "PreToolUse-Write"), ("careful", "PreToolUse-Bash")]
    {
        assert_silent(&run(hook, &payload(recorded)?)?);
    }
    Ok(())
}

#[test]
fn a_large_payload_is_answered_like_a_small_one() -> Result<()> {
    let small = payload("PreToolUse-Write")?;
    let large = small.replace("one\\ntwo\\n", &"a line with \\\"quotes\\\"\\n".repeat(100_000));
    assert!(large.len() > 2_000_000);
    assert_eq!(run("careful", &large)?, run("careful", &small)?);
    // Cut off, it is denied or let go like any other.
    assert_denied(&run("careful", &large[..large.len() / 2])?, "in the middle of a value");
    Ok(())
}

#[test]
fn of_two_names_of_a_tool_the_first_decides_whatever_the_size() -> Result<()> {
    let one = payload("PreToolUse-Write")?;
    let one = one.trim_end();
    for text in ["one\\ntwo\\n".to_owned(), "a line\\n".repeat(20_000)] {
        let one = one.replace("one\\ntwo\\n", &text);
        let two = format!("{},\"tool_name\":\"Bash\"}}", one.strip_suffix('}').context("an object")?);
        assert_eq!(run("careful", &two)?, run("careful", &one)?);
        assert_ne!(run("careful", &two)?.stdout, "");
    }
    Ok(())
}

#[test]
fn names_may_be_escaped() -> Result<()> {
    let escaped = payload("PreToolUse-Bash")?
        .replace("\"PreToolUse\"", "\"PreTool\\u0055se\"")
        .replace("\"tool_name\":\"Bash\"", "\"tool\\u005fname\":\"B\\u0061sh\"");
    let answer = run("printing-guard", &escaped)?;
    assert_eq!(json_of(&answer)["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer.exit_code, Some(0), "{answer:?}");
    Ok(())
}

/// A guard that fails denies by both channels, with one line on stderr that says what happened.
fn assert_denied(answer: &Answer, because: &str) {
    let specific = &json_of(answer)["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], "deny", "{answer:?}");
    let reason = specific["permissionDecisionReason"].as_str().unwrap_or_default();
    reason.starts("denied, because the hook `");
    reason.has(because);
    assert_eq!(answer.exit_code, Some(2));
    assert_one_line(answer, because);
}

/// An observer that fails lets the action go on, with one line on stderr that says what happened.
fn assert_let_go(answer: &Answer, because: &str) {
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("", Some(1)), "{answer:?}");
    assert_one_line(answer, because);
}

fn assert_one_line(answer: &Answer, because: &str) {
    let stderr = &answer.stderr;
    stderr.starts("hookkit: hook `");
    stderr.has(because);
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
}

#[test]
fn input_that_cannot_be_read_ends_in_the_policy() -> Result<()> {
    let whole = payload("PreToolUse-Bash")?;
    for (stdin, because) in [
        ("", "stdin is empty"),
        ("\n", "stdin is empty"),
        ("hello", "expected `{`"),
        ("{not json", "expected a string"),
        ("[]", "expected `{`"),
        (&whole[..whole.len() / 2], "in the middle of a value"),
        ("{}", "no `hook_event_name`"),
        (r#"{"hook_event_name":7}"#, "`hook_event_name`: invalid type"),
        (&payload("Stop")?, "was called on Stop"),
        (&whole.replace("tool_input", "input"), "the payload has no `tool_input`"),
        (&whole.replace("\"echo hello\"", "7"), "`tool_input.command`: invalid type"),
    ] {
        assert_denied(&run("printing-guard", stdin)?, because);
    }
    for (stdin, because) in [
        ("", "stdin is empty"),
        ("hello", "expected `{`"),
        (&whole[..40], "in the middle of a value"),
        (&whole, "was called on PreToolUse"),
    ] {
        assert_let_go(&run("hold", stdin)?, because);
    }
    // Another client's payload: for Copilot CLI a failure is a denial.
    let answer = run("hold", "{}")?;
    assert_eq!((&*answer.stdout, answer.exit_code), ("", Some(0)));
    assert_one_line(&answer, "no `hook_event_name`");
    Ok(())
}

#[test]
fn a_handler_that_fails_ends_in_the_policy() -> Result<()> {
    let bash = payload("PreToolUse-Bash")?;
    assert_denied(&run("failing-guard", &bash)?, "invalid digit found in string");
    let code = fs::read_to_string(repository().join("tests/fixtures/packs/hooks.rs"))?;
    let line = code.lines().position(|line| line.contains("out of its depth")).context("the panic")? + 1;
    assert_denied(&run("panicking-guard", &bash)?, &format!("lib.rs:{line}: out of its depth"));
    assert_let_go(&run("failing-observer", &bash)?, "the disk is full");
    let stopped = run("panic-at-stop", &payload("Stop")?)?;
    assert_let_go(&stopped, "`Option::unwrap()` on a `None` value");
    Ok(())
}

#[test]
fn a_launcher_holds_its_own_hook_and_no_other() -> Result<()> {
    let project = workspace::installed("fixture-hooks")?.path();
    let contains = |hook: &str, text: &str| binary_has(project, hook, text);
    assert!(contains("printing-guard", "and none tomorrow: ask the author")?);
    assert!(!contains("printing-guard", "and with nothing to say about it")?);
    assert!(contains("panicking-guard", "and with nothing to say about it")?);
    Ok(())
}

#[test]
fn a_hook_on_several_events_answers_each_in_its_own_shape() -> Result<()> {
    for recorded in ["SessionStart-startup", "UserPromptSubmit", "PostToolUse-Edit"] {
        let answer = run("tell", &payload(recorded)?)?;
        let event = recorded.split('-').next().unwrap_or_default();
        let expected = json!({"hookEventName": event, "additionalContext": "called in /home/user/project"});
        assert_eq!(json_of(&answer)["hookSpecificOutput"], expected);
    }
    let answer = run("tell", &payload("Stop")?)?;
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("", Some(1)));
    assert_eq!(
        answer.stderr,
        "hookkit: hook `tell` failed: it is a hook for SessionStart, UserPromptSubmit, PostToolUse, but was called on Stop; \
         if the client called it, run `cargo xtask install` to fix the settings\n"
    );
    Ok(())
}

#[test]
fn a_failure_blocks_in_the_event_s_own_shape_where_the_author_says_so() -> Result<()> {
    for row in &table().section("of a failed hook that blocks").rows {
        let [recorded] = row.fields();
        let expected: Value = serde_json::from_str(&row.line)?;
        let answer = run("strict-anywhere", &payload(recorded)?)?;
        assert_eq!((json_of(&answer), answer.exit_code), (expected, Some(2)), "{recorded}");
    }
    // On which event it was called it cannot know: what each of them honors.
    let answer = run("strict-anywhere", "{\"hook_event_name\"")?;
    let said = json_of(&answer);
    assert_eq!((said["decision"].as_str(), answer.exit_code), (Some("block"), Some(2)));
    assert_eq!(said["hookSpecificOutput"]["decision"]["behavior"], "deny");

    // Panics are for the event, too, that it was called on.
    for (recorded, decision) in [
        ("PreToolUse-Bash", "/hookSpecificOutput/permissionDecision"),
        ("PermissionRequest-Bash", "/hookSpecificOutput/decision/behavior"),
    ] {
        let answer = run("panic-anywhere", &payload(recorded)?)?;
        assert_eq!(json_of(&answer).pointer(decision), Some(&json!("deny")), "{answer:?}");
        assert_eq!(answer.exit_code, Some(2));
    }

    let answer = run("lenient-guard", &payload("PreToolUse-Bash")?)?;
    assert_eq!((answer.stdout.as_str(), answer.exit_code), ("", Some(1)));
    assert_eq!(answer.stderr, "hookkit: hook `lenient-guard` failed: it does not matter\n");
    Ok(())
}

#[test]
fn who_is_not_waited_for_says_what_still_reaches_the_model() -> Result<()> {
    let answer = run("afterthought", &payload("PostToolUse-Bash")?)?;
    let said = &json_of(&answer)["hookSpecificOutput"];
    assert_eq!(said["additionalContext"], "it occurred to a hook in the background");
    let answer = run("wake", &payload("Stop")?)?;
    assert_eq!(answer.stdout.as_str(), "stderr says why\n");
    assert_eq!(answer.stderr.as_str(), "cc: main.c: No such file or directory");
    assert_eq!(answer.exit_code, Some(2));
    Ok(())
}
