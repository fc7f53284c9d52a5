//! Tests of the code of new hooks.

use std::path::Path;

use anyhow::Result;

use super::*;
use crate::binaries::sample;
use test_support::Has;

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
fn a_tool_that_is_known_is_typed() {
    let lines = test_support::lines!("lines/new-code.txt");
    lines.check_section("type of the input on PreToolUse", |line| {
        let matcher = Some(line).filter(|matcher| !matcher.is_empty());
        input(&event::PRE_TOOL_USE, matcher).unwrap_or_default().to_string()
    });
    lines.check_section("tool of a server", |line| {
        let hook = hook(&[&event::PRE_TOOL_USE], Some(line), Test::Session).expect(line);
        let tool = hook.mcp_tool();
        tool.map_or(String::new(), |tool| format!("{}\t{}\t{}", tool.server, tool.name, tool.input))
    });
    assert_eq!(input(&event::NOTIFICATION, Some("Bash")), None);
}

#[test]
fn one_tool_of_a_server_has_a_type_with_its_derive() -> Result<()> {
    let hook = hook(&[&event::PRE_TOOL_USE], Some("mcp__github__create_issue"), Test::Session)?;
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
    let code = hook(&[&event::PRE_SKILL_SHELL_COMMAND, &event::PRE_TOOL_USE], Some("Bash"), Test::Session)?.code();
    code.has("pub fn guard(_event: PreToolUse<tool::Bash>) -> PreToolUseAnswer");
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
        assert!(line("testing::run_recorded(guard::DEF, RECORDED).assert_passed();").is_some(), "{code}");
        let expected = assertion.map(|assertion| format!("        // Where it acts: {assertion};"));
        assert_eq!(line("testing::run("), expected.as_deref(), "{code}");
    }
    Ok(())
}
