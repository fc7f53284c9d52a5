//! The code of new hooks.

use std::path::Path;

use anyhow::Result;

use super::*;
use crate::binaries::sample;

fn hook<'h>(events: &[&'static Event], matcher: Option<&'h str>, test: Test) -> Result<Hook<'h>> {
    let tested = events.iter().map(|event| {
        let samples = sample::all(Path::new(sample::PROJECT))?;
        let (sample, is_recorded) = sample::of(samples, event, matcher)?;
        Ok(Tested { sample, is_recorded })
    });
    Ok(Hook {
        function: "guard",
        events: events.to_vec(),
        matcher,
        condition: None,
        test,
        tested: tested.collect::<Result<_>>()?,
    })
}

#[test]
fn what_was_recorded_of_one_tool_is_typed() {
    for (matcher, expected) in [
        (None, None),
        (Some("Bash"), Some("Bash")),
        (Some("Write|Edit"), Some("FileChange")),
        (Some("Edit|Write|NotebookEdit"), Some("TextChange")),
        (Some("Read|Edit|Write"), Some("FileAccess")),
        (Some("Bash|Read"), None),
        (Some("mcp__srv__echo"), None),
        (Some("ListAgents"), None),
    ] {
        assert_eq!(input(&event::PRE_TOOL_USE, matcher).as_deref(), expected);
    }
    assert_eq!(input(&event::NOTIFICATION, Some("Bash")), None);
}

#[test]
fn one_tool_of_a_server_has_a_type_with_its_derive() -> Result<()> {
    for (matcher, expected) in [
        (
            "mcp__github__create_issue",
            Some(("github", "create_issue", "CreateIssue")),
        ),
        ("mcp__srv__stop", Some(("srv", "stop", "StopInput"))),
        ("mcp__my-server__list-all", Some(("my-server", "list-all", "ListAll"))),
        ("mcp__github__.*", None),
        ("mcp__github", None),
        ("mcp__github__a|mcp__github__b", None),
        ("mcp__plugin_a_b__c", None),
        ("Bash", None),
    ] {
        let hook = hook(&[&event::PRE_TOOL_USE], Some(matcher), Test::Session)?;
        let found = hook.mcp_tool();
        let found = found.as_ref().map(|tool| (tool.server, tool.name, &*tool.input));
        assert_eq!(found, expected, "{matcher}");
    }
    let hook = hook(
        &[&event::PRE_TOOL_USE],
        Some("mcp__github__create_issue"),
        Test::Session,
    )?;
    let code = hook.code();
    for part in [
        "#[tool(server = \"github\", name = \"create_issue\")]\npub struct CreateIssue {\n",
        "#[hook(PreToolUse)]\npub fn guard(_event: PreToolUse<CreateIssue>) -> PreToolUseAnswer {\n",
        "::{guard, CreateIssue};\n",
        "Recorded::of(\"PreToolUse\").with(\"tool_name\", \"mcp__github__create_issue\")\
         .with(\"tool_input\", CreateIssue {})",
    ] {
        assert!(code.contains(part), "{part}: {code}");
    }
    Ok(())
}

#[test]
fn a_hook_on_several_events_takes_any_of_them_and_is_tested_on_each() -> Result<()> {
    let events: &[&'static Event] = &[&event::SESSION_START, &event::USER_PROMPT_SUBMIT];
    let code = hook(events, None, Test::Recorded)?.code();
    for part in [
        "#[hook(SessionStart | UserPromptSubmit)]\npub fn guard(_event: AnyEvent) -> ContextAnswer {\n    \
         ContextAnswer::pass()\n",
        "const RECORDED: [&[u8]; 2] = [include_bytes!(\"../tests/payloads/guard_session_start.json\"), ",
        "for event in RECORDED {",
    ] {
        assert!(code.contains(part), "{part}: {code}");
    }
    let code = hook(&[&event::STOP, &event::NOTIFICATION], None, Test::Session)?.code();
    assert!(
        code.contains("pub fn guard(_event: AnyEvent) {\n    // These events have no answer in common")
            && code.contains(
                "for event in [Recorded::of(\"Stop\"), Recorded::of(\"Notification elicitation_response\")] {"
            ),
        "{code}"
    );
    Ok(())
}

#[test]
fn a_guard_is_reported_of_on_failure_and_its_test_of_the_assertion() -> Result<()> {
    for (event, failure, assertion) in [
        (
            &event::PRE_TOOL_USE,
            Some(
                "// It denies if it fails. Write `on_failure = block` to deny even where its binary is missing, as in a fresh clone.",
            ),
            Some("testing::run(guard::DEF, &…).assert_denied(\"why\")"),
        ),
        // The client honors no `onFailure` here.
        (
            &event::STOP,
            Some("// Write `on_failure = block` to deny whenever it fails."),
            Some("testing::run(guard::DEF, &…).assert_kept_going(\"why\")"),
        ),
        (&event::NOTIFICATION, None, None),
    ] {
        let code = hook(&[event], None, Test::Recorded)?.code();
        let line = |part: &str| code.lines().find(|line| line.contains(part));
        assert_eq!(line("on_failure"), failure, "{code}");
        assert!(
            line("testing::run_recorded(guard::DEF, RECORDED).assert_passed();").is_some(),
            "{code}"
        );
        let expected = assertion.map(|assertion| format!("        // What it denies: {assertion};"));
        assert_eq!(line("testing::run("), expected.as_deref(), "{code}");
    }
    Ok(())
}
