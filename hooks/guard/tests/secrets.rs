//! `deny_secrets` and `block_secrets_in_prompts` on recorded events.

use hookkit::testing::{Recorded, Session, Verdict};
use hookkit::{Hook, HookDef};
use hookkit_guard::secrets::{block_secrets_in_prompts, deny_secrets};

/// An invented token, in halves: whole, scanners of repositories would find it here.
fn token() -> String {
    ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat()
}

/// Runs a hook on a recorded event with the token in a field.
fn run(hook: &HookDef, event: &str, field: &str, text: &str) -> Verdict {
    Session::new().run(hook, &Recorded::of(event).with(field, text))
}

#[test]
fn an_ordinary_text_gets_no_opinion() {
    for tool in ["Edit", "Write", "NotebookEdit", "Bash"] {
        let event = Recorded::of(&format!("PreToolUse {tool}"));
        Session::new().run(deny_secrets::DEF, &event).assert_passed();
    }
    let prompt = Recorded::of("UserPromptSubmit");
    Session::new()
        .run(block_secrets_in_prompts::DEF, &prompt)
        .assert_passed();
}

#[test]
fn an_edit_that_brings_a_token_is_denied_without_repeating_it() {
    for (event, field) in [
        ("PreToolUse Edit", "tool_input.new_string"),
        ("PreToolUse Write", "tool_input.content"),
        ("PreToolUse NotebookEdit", "tool_input.new_source"),
    ] {
        let verdict = run(deny_secrets::DEF, event, field, &token());
        verdict.assert_denied(
            "the new text holds what looks like a secret, in line 1: a GitHub token (`ghp_…`). Leave it out",
        );
        assert!(!format!("{verdict:?}").contains(&token()[8..]));
    }
}

#[test]
fn a_command_with_a_token_is_denied() {
    let event = Recorded::of("PreToolUse Bash").with("tool_input.command", format!("TOKEN={} ls", token()));
    for event in [event.clone().with("tool_name", "PowerShell"), event] {
        Session::new()
            .run(deny_secrets::DEF, &event)
            .assert_denied("the command holds what looks like a secret, in line 1: a GitHub token");
    }
}

#[test]
fn a_call_of_a_server_or_the_web_with_a_token_is_denied() {
    let with = |tool: &str, field: &str, text: &str| {
        let event = Recorded::of("PreToolUse Bash").with("tool_name", tool);
        Session::new().run(deny_secrets::DEF, &event.with(field, text))
    };
    let address = format!("https://example.com/?t={}", token());
    with("WebFetch", "tool_input.url", &address).assert_denied("the call holds what looks like a secret, in line 1");
    with(
        "mcp__github__create_issue",
        "tool_input.body",
        &format!("log\n{}", token()),
    )
    .assert_denied("a GitHub token");
    with("WebFetch", "tool_input.url", "https://example.com").assert_passed();
    with("Agent", "tool_input.prompt", &token()).assert_passed();
}

#[test]
fn a_command_of_a_skill_with_a_token_is_denied() {
    let run = |command: &str| {
        run(
            deny_secrets::DEF,
            "PreSkillShellCommand Bash",
            "tool_input.command",
            command,
        )
    };
    run(&format!("TOKEN={} ls", token())).assert_denied("a GitHub token");
    run("ls").assert_passed();
}

#[test]
fn a_token_that_goes_is_none_of_the_matter() {
    run(deny_secrets::DEF, "PreToolUse Edit", "tool_input.old_string", &token()).assert_passed();
}

#[test]
fn a_prompt_with_a_token_is_dropped() {
    let prompt = format!("log in with {}", token());
    let verdict = run(block_secrets_in_prompts::DEF, "UserPromptSubmit", "prompt", &prompt);
    verdict.assert_user_sees("your prompt holds what looks like a secret, in line 1: a GitHub token (`ghp_…`)");
    assert!(!format!("{verdict:?}").contains(&token()[8..]));
}
