//! The exact encoding of each answer, checked against the client's schema.

#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "the longest test is for Unix"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hookkit_protocol::event as facts;
use serde_json::Value;

use super::*;
use crate::event::*;
use crate::permission::{PermissionBehavior, PermissionDestination, PermissionRule, PermissionUpdate};
use crate::testing::{Action, Dropped, Ran, Verdict};
use crate::{Json, json, tool};

/// A call, with members that the types do not name.
const CALL: &str = r#""tool_name":"Bash","tool_input":{"command":"ls","timeout":5,"new":[1, 2],"run_in_background":false},
    "tool_response":{"stdout":"a","stderr":"","interrupted":false,"isImage":false,"new":null,"noOutputExpected":true}"#;

/// Encodes an answer to `E`.
fn response<E: Event, M>(answer: impl Answer<E, M>) -> Result<Response, Error> {
    let payload = format!(r#"{{"hook_event_name":"{}",{CALL}}}"#, E::FACTS.name);
    answer.into_response(&Payload::parse(payload.as_bytes()).unwrap())
}

/// Returns the event, and the stdout of an answer that uses only stdout.
fn encoded<E: Event>(answer: impl Answer<E>) -> (&'static facts::Event, String) {
    let response = response::<E, Awaited>(answer).unwrap();
    assert_eq!((response.stderr.as_str(), response.exit_code), ("", 0));
    (E::FACTS, String::from_utf8(response.stdout).unwrap())
}

/// Parts of answers that a verdict drops although we write them: the event (`*` is any) and the part.
const KNOWN_DROPS: &[(&str, &str)] = &[
    // They affect only the transcript in a terminal.
    ("*", "suppressOutput"),
    ("PreToolUse", "permissionDecisionReason"),
    ("PreModelSwitch", "permissionDecisionReason"),
    // Shown only in a terminal.
    ("PermissionRequest", "message"),
    // They apply at the end of a teammate's turn, not if a tool completes the task.
    ("TaskCompleted", "continue"),
    ("TaskCompleted", "stopReason"),
    ("TaskCompleted", "systemMessage"),
    // The answers do not have a text, because the client would discard it.
    ("Elicitation", "the text of the block"),
    ("ElicitationResult", "the text of the block"),
    ("ConfigChange", "the text of the block"),
];

/// Checks with the verdict, which is tested against the client, that the client honors all parts of an answer.
fn check(event: &facts::Event, text: &str) {
    let verdict = Verdict::of(event, &Ran::exit(0).stdout(text));
    for Dropped { what, why, .. } in &verdict.dropped {
        let what = what.trim_matches('`');
        let is_known = KNOWN_DROPS
            .iter()
            .any(|(on, known)| [event.name, "*"].contains(on) && *known == what);
        assert!(is_known, "{} drops `{what}`, since {why}: {text}", event.name);
    }
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    if let Some(specific) = answer["hookSpecificOutput"].as_object() {
        assert!(specific.len() > 1, "it is empty: {text}");
        let paths = specific
            .get("watchPaths")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let is_absolute = |path: &Value| path.as_str().is_some_and(|path| path.starts_with('/'));
        assert!(paths.into_iter().all(is_absolute), "{text}");
    }
    assert!(
        answer["suppressOutput"].is_null() || answer["suppressOutput"] == true,
        "{text}"
    );
    if event.name == "PreToolUse" && verdict.ends_turn {
        assert_eq!(verdict.action, Action::Denied, "the tool would run: {text}");
    }
}

fn bash(command: &str) -> tool::Bash {
    let mut input = tool::Bash::new(command);
    input.description = Some("look".to_owned());
    input
}

fn output(stdout: &str) -> tool::BashResponse {
    tool::BashResponse {
        stdout: stdout.to_owned(),
        ..tool::BashResponse::default()
    }
}

fn bell() -> TerminalSequence {
    TerminalSequence::bell()
}

fn updates() -> [PermissionUpdate; 1] {
    [PermissionUpdate::AddRules {
        rules: vec![PermissionRule::new("Bash", "ls")],
        behavior: PermissionBehavior::Allow,
        destination: PermissionDestination::Session,
    }]
}

#[test]
fn an_updated_output_keeps_unknown_members_at_every_depth() {
    let payload = |tool: &str, response: &str| {
        format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"{tool}","tool_input":{{}},"tool_response":{response}}}"#
        )
    };
    let written = |payload: &str, answer: Result<Response, Error>| {
        let stdout = answer.unwrap().stdout;
        let answer: Value = serde_json::from_slice(&stdout).unwrap();
        let updated = answer["hookSpecificOutput"]["updatedToolOutput"].clone();
        assert!(updated.is_object(), "{payload}");
        updated
    };

    let response = r#"{"type":"text","new":null,"file":{"filePath":"/a","content":"old","numLines":1,"startLine":1,
        "totalLines":1,"truncatedByTokenCap":false,"hash":{"of":null}},"artifactRead":null}"#;
    let text = payload("Read", response);
    let payload_of_read = Payload::parse(text.as_bytes()).unwrap();
    let mut output: tool::ReadResponse = Json::parse(response).unwrap().decode().unwrap();
    let tool::ReadResponse::Text(read) = &mut output else {
        panic!("it is text")
    };
    read.file.content = "new".to_owned();
    let answer = PostToolUseAnswer::<tool::Read>::pass().with_updated_tool_output(output);
    let expected: Value = serde_json::from_str(&response.replace("old", "new")).unwrap();
    let answer = Answer::<PostToolUse>::into_response(answer, &payload_of_read);
    assert_eq!(written(&text, answer), expected);

    let response = r#"{"status":"completed","agentId":"a","content":[{"type":"text","text":"old","citations":null,
        "x":1},{"type":"new","y":null}],"usage":{"input_tokens":1,"output_tokens":2,"service_tier":null,"cache_creation":
        {"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0,"z":[]},"inference_geo":null},"totalToolUseCount":0,
        "totalDurationMs":1,"totalTokens":3,"prompt":"p","w":{"v":null}}"#;
    let text = payload("Agent", response);
    let payload_of_agent = Payload::parse(text.as_bytes()).unwrap();
    let mut output: tool::AgentResponse = Json::parse(response).unwrap().decode().unwrap();
    let tool::AgentResponse::Completed(agent) = &mut output else {
        panic!("it is done")
    };
    let tool::ContentBlock::Text(block) = &mut agent.content[0] else {
        panic!("it is text")
    };
    block.text = "new".to_owned();
    let answer = PostToolUseAnswer::<tool::Agent>::pass().with_updated_tool_output(output);
    let expected: Value = serde_json::from_str(&response.replace(r#""text":"old""#, r#""text":"new""#)).unwrap();
    let answer = Answer::<PostToolUse>::into_response(answer, &payload_of_agent);
    assert_eq!(written(&text, answer), expected);
}

#[rustfmt::skip]
/// On Windows, `/a` is not an absolute path, which the client requires.
#[cfg(unix)]
#[test]
fn every_answer_has_the_expected_encoding() {
    let all = [
        // Tool calls.
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass()), ""),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::allow()),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::allow_with_reason("known")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"known"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny("no \"ls\"\n")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no \"ls\"\n"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny_and_stop("no", "enough")),
            r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny_and_stop("no", "enough").with_suppress_output().with_context("c").with_system_message("m")),
            r#"{"continue":false,"stopReason":"enough","systemMessage":"m","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::ask("really?").with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"really?","additionalContext":"c"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::defer()),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(bash("pwd"))),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pwd","new":[1, 2],"run_in_background":false,"description":"look"}}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::allow().with_updated_input(bash("pwd")).with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"pwd","new":[1, 2],"run_in_background":false,"description":"look"},"additionalContext":"c"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::deny("no").with_updated_input(bash("pwd"))),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::defer().with_updated_input(bash("pwd"))),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(Json::parse(r#"{"any": null}"#).unwrap())),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"any":null}}}"#),
        (encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}"#),

        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass()), ""),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::block("fix it").with_context("c")),
            r#"{"decision":"block","reason":"fix it","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::stop("enough")),
            r#"{"continue":false,"stopReason":"enough"}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c").with_classifier_context("k")),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c","classifierContext":"k"}}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<tool::Bash>::pass().with_updated_tool_output(output("b"))),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"stdout":"b","stderr":"","interrupted":false,"isImage":false,"new":null}}}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Json>::pass().with_updated_tool_output(Json::parse("[{\"type\":\"text\"}]").unwrap())),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":[{"type":"text"}]}}"#),
        (encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}"#),

        (encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::pass()), ""),
        (encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::block("fix it").with_context("c")),
            r#"{"decision":"block","reason":"fix it","hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}"#),
        (encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}"#),

        (encoded::<PostToolBatch>(PostToolBatchAnswer::pass()), ""),
        (encoded::<PostToolBatch>(PostToolBatchAnswer::stop("enough").with_context("c")),
            r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"c"}}"#),
        (encoded::<PostToolBatch>(PostToolBatchAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"c"}}"#),

        // Permissions.
        (encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::pass()), ""),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::allow()),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::allow().with_updated_input(bash("pwd")).with_updated_permissions(updates())),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"pwd","new":[1, 2],"run_in_background":false,"description":"look"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],"behavior":"allow","destination":"session"}]}}}"#),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::deny("no").with_updated_input(bash("pwd")).with_updated_permissions(updates())),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::deny_and_interrupt("no")),
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}"#),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::pass().with_updated_input(bash("pwd"))), ""),
        (encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::pass().with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"terminalSequence":"\u0007","suppressOutput":true}"#),
        (encoded::<PermissionDenied>(PermissionDeniedAnswer::pass()), ""),
        (encoded::<PermissionDenied>(PermissionDeniedAnswer::retry().with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}"#),
        (encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::pass()), ""),
        (encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::deny("no").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"no"}}"#),
        (encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::stop("enough")),
            r#"{"continue":false,"stopReason":"enough"}"#),
        (encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::allow_with_reason("yes").with_context("c").with_system_message("m")),
            r#"{"systemMessage":"m"}"#),
        (encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::ask("sure?").with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#),
        (encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::defer()),
            r#"{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"defer"}}"#),
        (encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::deny_and_stop("no", "enough").with_context("c")),
            r#"{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"no"}}"#),

        // Prompts.
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass()), ""),
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::block("no")),
            r#"{"decision":"block","reason":"no"}"#),
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::block_and_suppress_original_prompt("no")),
            r#"{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","suppressOriginalPrompt":true}}"#),
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::stop("enough")),
            r#"{"continue":false,"stopReason":"enough"}"#),
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass().with_context("c").with_session_title("t")),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c","sessionTitle":"t"}}"#),
        (encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}"#),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass()), ""),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::block("no")),
            r#"{"decision":"block","reason":"no"}"#),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::block_and_suppress_original_prompt("no")),
            r#"{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptExpansion","suppressOriginalPrompt":true}}"#),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::stop("enough")),
            r#"{"continue":false,"stopReason":"enough"}"#),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass().with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","additionalContext":"c"}}"#),
        (encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"UserPromptExpansion","additionalContext":"c"}}"#),
        (encoded::<MessageDisplay>(MessageDisplayAnswer::pass()), ""),
        (encoded::<MessageDisplay>(MessageDisplayAnswer::pass().with_display_content("d").with_terminal_sequence(bell())),
            r#"{"terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"d"}}"#),

        // Sessions and turns.
        (encoded::<SessionStart>(SessionStartAnswer::pass()), ""),
        (encoded::<SessionStart>(SessionStartAnswer::pass().with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}"#),
        (encoded::<SessionStart>(SessionStartAnswer::pass().with_context("c").with_initial_user_message("p").with_session_title("t").with_watch_paths(["/a", "/b"]).with_reload_skills()),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c","initialUserMessage":"p","sessionTitle":"t","watchPaths":["/a","/b"],"reloadSkills":true}}"#),
        (encoded::<SessionStart>(SessionStartAnswer::pass().with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}"#),
        (encoded::<Stop>(StopAnswer::pass()), ""),
        (encoded::<Stop>(StopAnswer::block("go on")), r#"{"decision":"block","reason":"go on"}"#),
        (encoded::<Stop>(StopAnswer::block_once(&Stop::new(false), "go on")), r#"{"decision":"block","reason":"go on"}"#),
        (encoded::<Stop>(StopAnswer::block_once(&Stop::new(true), "go on")), ""),
        (encoded::<Stop>(StopAnswer::context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}"#),
        (encoded::<Stop>(StopAnswer::context_once(&Stop::new(true), "c")), ""),
        (encoded::<Stop>(StopAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"continue":false,"stopReason":"enough","systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}"#),
        (encoded::<SubagentStop>(SubagentStopAnswer::block_once(&SubagentStop::new("Explore", false), "go on")),
            r#"{"decision":"block","reason":"go on"}"#),
        (encoded::<SubagentStop>(SubagentStopAnswer::context_once(&SubagentStop::new("Explore", false), "c")),
            r#"{"hookSpecificOutput":{"hookEventName":"SubagentStop","additionalContext":"c"}}"#),
        (encoded::<SubagentStop>(SubagentStopAnswer::stop("enough")), r#"{"continue":false,"stopReason":"enough"}"#),
        (encoded::<SubagentStart>(SubagentStartAnswer::pass()), ""),
        (encoded::<SubagentStart>(SubagentStartAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}"#),

        // Compaction.
        (encoded::<PreCompact>(PreCompactAnswer::pass()), ""),
        (encoded::<PreCompact>(PreCompactAnswer::pass().with_plain_text("keep {names}")), "keep {names}"),
        (encoded::<PreCompact>(PreCompactAnswer::block("not now")), r#"{"decision":"block","reason":"not now"}"#),
        (encoded::<PreCompact>(PreCompactAnswer::block("not now").with_plain_text("keep names")),
            r#"{"decision":"block","reason":"not now"}"#),
        (encoded::<PostCompact>(PostCompactAnswer::pass()), ""),
        (encoded::<PostCompact>(PostCompactAnswer::pass().with_plain_text("done")), "done"),

        // Models.
        (encoded::<PreModelSwitch>(PreModelSwitchAnswer::pass()), ""),
        (encoded::<PreModelSwitch>(PreModelSwitchAnswer::allow()),
            r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow"}}"#),
        (encoded::<PreModelSwitch>(PreModelSwitchAnswer::allow_with_reason("cheap")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow","permissionDecisionReason":"cheap"}}"#),
        (encoded::<PreModelSwitch>(PreModelSwitchAnswer::deny("dear")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"dear"}}"#),
        (encoded::<PreModelSwitch>(PreModelSwitchAnswer::ask("dear").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"ask","permissionDecisionReason":"dear"}}"#),
        (encoded::<PostModelSwitch>(PostModelSwitchAnswer::pass()), ""),
        (encoded::<PostModelSwitch>(PostModelSwitchAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"PostModelSwitch","additionalContext":"c"}}"#),

        // Teams.
        (encoded::<TeammateIdle>(TeammateIdleAnswer::pass()), ""),
        (encoded::<TeammateIdle>(TeammateIdleAnswer::block("go on")), r#"{"decision":"block","reason":"go on"}"#),
        (encoded::<TeammateIdle>(TeammateIdleAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"continue":false,"stopReason":"enough","systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}"#),
        (encoded::<TaskCreated>(TaskCreatedAnswer::pass()), ""),
        (encoded::<TaskCreated>(TaskCreatedAnswer::block("no").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"decision":"block","reason":"no","terminalSequence":"\u0007","suppressOutput":true}"#),
        (encoded::<TaskCompleted>(TaskCreatedAnswer::block("no")), r#"{"decision":"block","reason":"no"}"#),
        (encoded::<TaskCompleted>(TaskCompletedAnswer::pass()), ""),
        (encoded::<TaskCompleted>(TaskCompletedAnswer::block("no")), r#"{"decision":"block","reason":"no"}"#),
        (encoded::<TaskCompleted>(TaskCompletedAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
            r#"{"continue":false,"stopReason":"enough","systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}"#),

        // Questions of servers.
        (encoded::<Elicitation>(ElicitationAnswer::pass()), ""),
        (encoded::<Elicitation>(ElicitationAnswer::accept(Json::encode(&BTreeMap::from([("n", 1)])).unwrap())),
            r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"n":1}}}"#),
        (encoded::<Elicitation>(ElicitationAnswer::accept_url()),
            r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept"}}"#),
        (encoded::<Elicitation>(ElicitationAnswer::decline()),
            r#"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#),
        (encoded::<Elicitation>(ElicitationAnswer::block().with_terminal_sequence(bell())),
            r#"{"decision":"block","terminalSequence":"\u0007"}"#),
        (encoded::<ElicitationResult>(ElicitationResultAnswer::cancel()),
            r#"{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"cancel"}}"#),
        (encoded::<ElicitationResult>(ElicitationResultAnswer::block()), r#"{"decision":"block"}"#),

        // The workspace.
        (encoded::<ConfigChange>(ConfigChangeAnswer::pass()), ""),
        (encoded::<ConfigChange>(ConfigChangeAnswer::block().with_terminal_sequence(bell())),
            r#"{"decision":"block","terminalSequence":"\u0007"}"#),
        (encoded::<WorktreeCreate>(WorktreeCreateAnswer::path("/fast/x y")), "/fast/x y"),
        (encoded::<CwdChanged>(CwdChangedAnswer::pass()), ""),
        (encoded::<CwdChanged>(CwdChangedAnswer::pass().with_watch_paths([""; 0])),
            r#"{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":[]}}"#),
        (encoded::<FileChanged>(FileChangedAnswer::pass().with_watch_paths(["/a"]).with_system_message("m").with_terminal_sequence(bell())),
            r#"{"systemMessage":"m","terminalSequence":"\u0007","hookSpecificOutput":{"hookEventName":"FileChanged","watchPaths":["/a"]}}"#),
        (encoded::<DirectoryAdded>(DirectoryAddedAnswer::pass()), ""),
        (encoded::<DirectoryAdded>(DirectoryAddedAnswer::pass().with_system_message("m").with_terminal_sequence(bell())),
            r#"{"systemMessage":"m","terminalSequence":"\u0007"}"#),

        // Several events.
        (encoded::<SessionStart>(ContextAnswer::pass()), ""),
        (encoded::<PostModelSwitch>(ContextAnswer::pass().with_context("c")),
            r#"{"hookSpecificOutput":{"hookEventName":"PostModelSwitch","additionalContext":"c"}}"#),
        (encoded::<PostToolBatch>(ContextAnswer::pass().with_context("c").with_system_message("s")),
            r#"{"systemMessage":"s","hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"c"}}"#),
        (encoded::<Setup>(TerminalAnswer::pass()), ""),
        (encoded::<Notification>(TerminalAnswer::pass().with_terminal_sequence(bell())), r#"{"terminalSequence":"\u0007"}"#),
        (encoded::<SessionEnd>(TerminalAnswer::pass().with_terminal_sequence(bell())), r#"{"terminalSequence":"\u0007"}"#),
        (encoded::<StopFailure>(TerminalAnswer::pass().with_terminal_sequence(bell())), r#"{"terminalSequence":"\u0007"}"#),
        (encoded::<InstructionsLoaded>(TerminalAnswer::pass().with_terminal_sequence(bell())), r#"{"terminalSequence":"\u0007"}"#),
        (encoded::<WorktreeRemove>(TerminalAnswer::pass().with_terminal_sequence(bell())), r#"{"terminalSequence":"\u0007"}"#),
        (encoded::<Stop>(()), ""),
        (encoded::<Stop>(None::<StopAnswer>), ""),
        (encoded::<Stop>(Ok::<_, Error>(Some(StopAnswer::block("go on")))), r#"{"decision":"block","reason":"go on"}"#),
    ];
    for ((event, text), expected) in &all {
        assert_eq!(text, expected);
        check(event, text);
    }
    let events: BTreeSet<&str> = all.iter().map(|((event, _), _)| event.name).collect();
    assert_eq!(events.len(), facts::EVENTS.len(), "an event has no answer: {events:?}");
}

/// Compares the methods in the source files with the table above.
#[test]
fn every_method_of_every_answer_is_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/answer");
    let table = fs::read_to_string(folder.join("tests.rs")).unwrap();
    let (mut missing, mut count) = (Vec::new(), 0);
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let mut of_answer = None;
        for line in source.lines() {
            let implemented = line.strip_prefix("impl");
            let implemented = implemented.map(|line| line.split_once("> ").map_or(line, |(_, name)| name));
            let declared = line
                .strip_prefix("    ")
                .filter(|line| line.starts_with(char::is_uppercase));
            if let Some(name) = implemented.or(declared) {
                let name = name
                    .split(['<', ' ', ';'])
                    .find(|word| !word.is_empty())
                    .unwrap_or_default();
                of_answer = name.ends_with("Answer").then(|| name.to_owned());
            }
            let line = line.trim_start();
            let method = line.strip_prefix("pub fn ").or(line.strip_suffix(");"));
            let method = method.and_then(|line| line.split('(').next());
            let is_name = |name: &&str| !name.is_empty() && name.chars().all(|char| char.is_lowercase() || char == '_');
            let (Some(answer), Some(method)) = (&of_answer, method.filter(is_name)) else {
                continue;
            };
            count += 1;
            let names = [Some(answer.as_str()), alias(answer)].map(|name| format!("({}::", name.unwrap_or(answer)));
            let calls = [format!("::{method}("), format!(".{method}(")];
            let is_there = table.lines().any(|line| {
                let has_one = |parts: &[String]| parts.iter().any(|part| line.contains(part));
                has_one(&names) && has_one(&calls)
            });
            if !is_there {
                missing.push(format!("{answer}::{method}"));
            }
        }
    }
    assert_eq!(missing, [""; 0]);
    assert!(count > 140, "{count} methods");
}

/// Returns the other name of an answer.
fn alias(answer: &str) -> Option<&'static str> {
    Some(match answer {
        "StopAnswer" => "SubagentStopAnswer",
        "ElicitationAnswer" => "ElicitationResultAnswer",
        "CwdChangedAnswer" => "FileChangedAnswer",
        _ => return None,
    })
}

#[test]
fn an_invalid_answer_is_an_error() {
    let object = |text: &str| Json::parse(text).unwrap();
    for result in [
        response::<PreCompact, Awaited>(PreCompactAnswer::pass().with_plain_text(" {\"a\":1}")),
        response::<PostCompact, Awaited>(PostCompactAnswer::pass().with_plain_text("{")),
        response::<PreToolUse, Awaited>(PreToolUseAnswer::allow().with_updated_input(object("[]"))),
        response::<Elicitation, Awaited>(ElicitationAnswer::accept(object("7"))),
        response::<CwdChanged, Awaited>(CwdChangedAnswer::pass().with_watch_paths(["relative"])),
        response::<SessionStart, Awaited>(SessionStartAnswer::pass().with_watch_paths(["/a", "b"])),
        response::<WorktreeCreate, Awaited>(WorktreeCreateAnswer::path("")),
        response::<WorktreeCreate, Awaited>(WorktreeCreateAnswer::path("/a\n/b")),
        response::<PreToolUse, Awaited>(
            PreToolUseAnswer::<Unchanged>::pass().with_context(Text::or_error("a".repeat(10_001))),
        ),
        response::<Stop, Awaited>(Err::<StopAnswer, _>("no")),
    ] {
        assert!(result.is_err(), "{result:?}");
    }
}

#[test]
fn the_order_of_members_does_not_matter_and_the_last_value_counts() {
    let answer = SessionStartAnswer::pass().with_reload_skills().with_system_message("a");
    let other = SessionStartAnswer::pass().with_system_message("b");
    assert_ne!(answer, other);
    assert_eq!(answer.with_session_title("t"), {
        let other = other.with_session_title("t").with_system_message("a");
        other.with_reload_skills()
    });
}

#[test]
fn long_text_is_cut_in_every_member() {
    let long = || "0123456789".repeat(1_001);
    for (limit, (event, text)) in [
        (
            10_000,
            encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny("no").with_context(long())),
        ),
        (
            10_000,
            encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_system_message(long())),
        ),
        (
            2_000,
            encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_classifier_context(long())),
        ),
        (
            10_000,
            encoded::<SessionStart>(SessionStartAnswer::pass().with_initial_user_message(long())),
        ),
        (
            10_000,
            encoded::<UserPromptSubmit>(
                UserPromptSubmitAnswer::pass()
                    .with_context(long())
                    .with_session_title("t"),
            ),
        ),
        (10_000, encoded::<Stop>(StopAnswer::context(long()))),
        (
            10_000,
            encoded::<PreCompact>(PreCompactAnswer::pass().with_plain_text(long())),
        ),
        (
            10_000,
            encoded::<SubagentStart>(ContextAnswer::pass().with_context(long())),
        ),
    ] {
        check(event, &text);
        assert!(
            text.len().abs_diff(limit) < 160 && text.contains(" more characters are left out]"),
            "{text}"
        );
    }
    // A reason is not cut.
    let (_, text) = encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny(long()));
    assert!(text.contains(&long()));
}

#[test]
fn async_answers_have_only_text() {
    let later = response::<PreToolUse, Async>(AsyncAnswer::pass().with_context("c")).unwrap();
    let expected = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#;
    assert_eq!(String::from_utf8(later.stdout).unwrap(), expected);
    let without_object = response::<TaskCreated, Async>(AsyncAnswer::pass().with_context("c")).unwrap();
    assert_eq!(without_object.stdout, br#"{"systemMessage":"c"}"#);
    // The client drops the context of an object that has no such member.
    for without_context in [
        response::<PreCompact, Async>(AsyncAnswer::pass().with_context("c")),
        response::<PostCompact, Async>(AsyncAnswer::pass().with_context("c")),
        response::<CwdChanged, Async>(AsyncAnswer::pass().with_context("c")),
        response::<FileChanged, Async>(AsyncAnswer::pass().with_context("c")),
        response::<PermissionDenied, Async>(AsyncAnswer::pass().with_context("c")),
        response::<PreModelSwitch, Async>(AsyncAnswer::pass().with_context("c")),
        response::<Elicitation, Async>(AsyncAnswer::pass().with_context("c")),
    ] {
        assert_eq!(without_context.unwrap().stdout, br#"{"systemMessage":"c"}"#);
    }
    assert_eq!(
        response::<Stop, Async>(AsyncAnswer::pass()).unwrap(),
        Response::default()
    );

    let woken = response::<Stop, AsyncRewake>(RewakeAnswer::wake("up")).unwrap();
    assert_eq!(
        (woken.stderr.as_str(), woken.exit_code, woken.stdout.as_slice()),
        ("up", 2, &b"stderr says why\n"[..])
    );
    assert_eq!(
        response::<Stop, AsyncRewake>(RewakeAnswer::pass()).unwrap(),
        Response::default()
    );
}

#[test]
fn a_denial_by_exit_code_is_also_in_json() {
    let denied = response::<Stop, Awaited>(ByExitCode(Ok::<_, Error>(Some(StopAnswer::block("go on"))))).unwrap();
    assert_eq!((denied.stderr.as_str(), denied.exit_code), ("go on\n", 2));
    assert_eq!(denied.stdout, br#"{"decision":"block","reason":"go on"}"#);
    for (response, code) in [
        (
            response::<PreToolUse, Awaited>(ByExitCode(PreToolUseAnswer::<Unchanged>::deny("no"))),
            2,
        ),
        (
            response::<PreToolUse, Awaited>(ByExitCode(PreToolUseAnswer::<Unchanged>::allow())),
            0,
        ),
        (
            response::<PostToolBatch, Awaited>(ByExitCode(PostToolBatchAnswer::stop("no"))),
            2,
        ),
        (
            response::<UserPromptSubmit, Awaited>(ByExitCode(UserPromptSubmitAnswer::block("no"))),
            2,
        ),
        (
            response::<UserPromptExpansion, Awaited>(ByExitCode(UserPromptExpansionAnswer::stop("no"))),
            0,
        ),
        (
            response::<SubagentStop, Awaited>(ByExitCode(StopAnswer::block("no"))),
            2,
        ),
        (
            response::<PreCompact, Awaited>(ByExitCode(PreCompactAnswer::block("no"))),
            2,
        ),
        (
            response::<PreModelSwitch, Awaited>(ByExitCode(PreModelSwitchAnswer::deny("no"))),
            2,
        ),
        (
            response::<TeammateIdle, Awaited>(ByExitCode(TeammateIdleAnswer::block("no"))),
            2,
        ),
        (
            response::<TaskCreated, Awaited>(ByExitCode(TaskCreatedAnswer::block("no"))),
            2,
        ),
        (
            response::<TaskCompleted, Awaited>(ByExitCode(TaskCompletedAnswer::block("no"))),
            2,
        ),
        (
            response::<Elicitation, Awaited>(ByExitCode(ElicitationAnswer::block())),
            2,
        ),
        (
            response::<ElicitationResult, Awaited>(ByExitCode(ElicitationAnswer::decline())),
            0,
        ),
        (
            response::<ConfigChange, Awaited>(ByExitCode(ConfigChangeAnswer::block())),
            2,
        ),
        (
            response::<PermissionRequest, Awaited>(ByExitCode(PermissionRequestAnswer::<Unchanged>::deny("no"))),
            0,
        ),
    ] {
        assert_eq!(response.unwrap().exit_code, code);
    }
}

#[test]
fn the_input_in_an_enum_of_tools_is_merged() {
    #[derive(serde::Serialize, crate::ToolInput)]
    #[serde(untagged)]
    #[tool(crate = crate)]
    enum Set {
        Bash(tool::Bash),
        Write(tool::Write),
    }
    let (_, text) = encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(Set::Bash(bash("pwd"))));
    let merged = r#""updatedInput":{"command":"pwd","new":[1, 2],"run_in_background":false,"description":"look"}"#;
    assert!(text.contains(merged), "{text}");
    let write = Set::Write(tool::Write::new("/a", "b"));
    let (_, text) = encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(write));
    assert!(text.contains(r#""file_path":"/a","content":"b"}"#), "{text}");
}

/// A hook that reads only a path must not keep a large input because of its answer.
#[test]
fn only_an_answer_that_replaces_a_member_requests_it() {
    fn requested<E: Event, A: Answer<E>>() -> String {
        let mut projection = PayloadProjection::nothing();
        A::projection(&mut projection);
        format!("{projection:?}")
    }
    let nothing = format!("{:?}", PayloadProjection::nothing());
    assert_eq!(requested::<PreToolUse, PreToolUseAnswer>(), nothing);
    assert_eq!(
        requested::<PostToolUse, Result<Option<PostToolUseAnswer>, Error>>(),
        nothing
    );
    let mut input = PayloadProjection::nothing();
    input.add_member("tool_input", json::Projection::All);
    let input = format!("{input:?}");
    assert_eq!(
        requested::<PreToolUse, Result<Option<PreToolUseAnswer<tool::Bash>>, Error>>(),
        input
    );
    assert_eq!(
        requested::<PermissionRequest, PermissionRequestAnswer<tool::Bash>>(),
        input
    );
    assert!(requested::<PostToolUse, PostToolUseAnswer<tool::Bash>>().contains("tool_response"));
}
