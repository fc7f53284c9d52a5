//! `deny_secrets` and `block_secrets_in_prompts` on recorded events.

use hookkit::Hook;
use hookkit::testing::run_recorded;
use hookkit_guard::secrets::{block_secrets_in_prompts, deny_secrets};

const EDIT: &str = include_str!("fixtures/pre_tool_use/edit.json");
const WRITE: &str = include_str!("fixtures/pre_tool_use/write.json");
const NOTEBOOK_EDIT: &str = include_str!("fixtures/pre_tool_use/notebook_edit.json");
const BASH: &str = include_str!("fixtures/pre_tool_use/bash.json");
const PROMPT: &str = include_str!("fixtures/user_prompt_submit/prompt.json");

/// An invented token, in halves: whole, scanners of repositories would find it here.
fn token() -> String {
    ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat()
}

#[test]
fn an_ordinary_text_gets_no_opinion() {
    for event in [EDIT, WRITE, NOTEBOOK_EDIT, BASH] {
        run_recorded(deny_secrets::DEF, event.as_bytes()).assert_passed();
    }
    run_recorded(block_secrets_in_prompts::DEF, PROMPT.as_bytes()).assert_passed();
}

#[test]
fn an_edit_that_brings_a_token_is_denied_without_repeating_it() {
    for (event, text) in [(EDIT, "three"), (WRITE, "one"), (NOTEBOOK_EDIT, "print")] {
        let event = event.replace(text, &token());
        let verdict = run_recorded(deny_secrets::DEF, event.as_bytes());
        verdict.assert_denied(
            "the new text holds what looks like a secret, in line 1: a GitHub token (`ghp_…`). Leave it out",
        );
        assert!(!format!("{verdict:?}").contains(&token()[8..]));
    }
}

#[test]
fn a_command_with_a_token_is_denied() {
    let event = BASH.replace("\"command\": \"", &format!("\"command\": \"TOKEN={} ", token()));
    for event in [event.replace("\"Bash\"", "\"PowerShell\""), event] {
        run_recorded(deny_secrets::DEF, event.as_bytes())
            .assert_denied("the command holds what looks like a secret, in line 1: a GitHub token");
    }
}

#[test]
fn a_token_that_goes_is_none_of_the_matter() {
    let event = EDIT.replace("two", &token());
    run_recorded(deny_secrets::DEF, event.as_bytes()).assert_passed();
}

#[test]
fn a_prompt_with_a_token_is_dropped() {
    let event = PROMPT.replace("work on a file", &format!("log in with {}", token()));
    let verdict = run_recorded(block_secrets_in_prompts::DEF, event.as_bytes());
    verdict.assert_user_sees("your prompt holds what looks like a secret, in line 1: a GitHub token (`ghp_…`)");
    assert!(!format!("{verdict:?}").contains(&token()[8..]));
}
