//! Tests the exact encoding of each answer against the client's schema.

#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "the longest test is for Unix"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hookkit_protocol::event as facts;
use serde_json::Value;

use super::*;
use crate::event::*;
use crate::payload::Surroundings;
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

/// Returns the event, the reason of a denial (`-` if there is none), and the stdout of an answer that uses only stdout.
fn encoded<E: Event>(answer: impl Answer<E>) -> (&'static facts::Event, String, String) {
    let denial = answer.denial().unwrap_or("-").to_owned();
    let response = response::<E, Awaited>(answer).unwrap();
    assert_eq!((response.stderr.as_str(), response.exit_code), ("", 0));
    (E::FACTS, denial, String::from_utf8(response.stdout).unwrap())
}

/// Checks that the client honors all parts of an answer, using the verdict, which is tested against the client.
fn check(event: &facts::Event, text: &str) {
    let verdict = Verdict::of(event, &Ran::exit(0).stdout(text));
    let table = test_support::lines!("lines/known-drops.txt");
    for Dropped { what, why, .. } in &verdict.dropped {
        let what = what.trim_matches('`');
        let mut known = table.section("drops").rows.iter();
        let is_known = known.any(|row| [event.name, "*"].contains(&&*row.expected[0]) && row.line == what);
        assert!(is_known, "{} drops `{what}`, since {why}: {text}", event.name);
    }
    let answer: Value = serde_json::from_str(text).unwrap_or_default();
    if let Some(specific) = answer["hookSpecificOutput"].as_object() {
        assert!(specific.len() > 1, "it is empty: {text}");
        let mut paths = specific.get("watchPaths").and_then(Value::as_array).into_iter().flatten();
        let is_absolute = |path: &Value| path.as_str().is_some_and(|path| path.starts_with('/'));
        assert!(paths.all(is_absolute), "{text}");
    }
    assert!(answer["suppressOutput"].is_null() || answer["suppressOutput"] == true, "{text}");
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
    tool::BashResponse { stdout: stdout.to_owned(), ..tool::BashResponse::default() }
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
    fn check<T: UpdatedOutput>(tool: &str, response: &str, change: impl FnOnce(&mut T::Output))
    where
        T::Output: serde::de::DeserializeOwned,
    {
        let payload = format!(
            r#"{{"hook_event_name":"PostToolUse","tool_name":"{tool}","tool_input":{{}},"tool_response":{response}}}"#
        );
        let mut output: T::Output = Json::parse(response).unwrap().decode().unwrap();
        change(&mut output);
        let answer = PostToolUseAnswer::<T>::pass().with_updated_tool_output(output);
        let answer = answer.into_response(&Payload::parse(payload.as_bytes()).unwrap()).unwrap();
        let written: Value = serde_json::from_slice(&answer.stdout).unwrap();
        let expected: Value = serde_json::from_str(&response.replace("\"old\"", "\"new\"")).unwrap();
        assert_eq!(written["hookSpecificOutput"]["updatedToolOutput"], expected);
    }
    let response = r#"{"type":"text","new":null,"file":{"filePath":"/a","content":"old","numLines":1,"startLine":1,
        "totalLines":1,"truncatedByTokenCap":false,"hash":{"of":null}},"artifactRead":null}"#;
    check::<tool::Read>("Read", response, |output| match output {
        tool::ReadResponse::Text(read) => read.file.content = "new".to_owned(),
        _ => panic!("it is text"),
    });
    let response = r#"{"status":"completed","agentId":"a","content":[{"type":"text","text":"old","citations":null,
        "x":1},{"type":"new","y":null}],"usage":{"input_tokens":1,"output_tokens":2,"service_tier":null,"cache_creation":
        {"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0,"z":[]},"inference_geo":null},"totalToolUseCount":0,
        "totalDurationMs":1,"totalTokens":3,"prompt":"p","w":{"v":null}}"#;
    check::<tool::Agent>("Agent", response, |output| match output {
        tool::AgentResponse::Completed(agent) => match &mut agent.content[0] {
            tool::ContentBlock::Text(block) => block.text = "new".to_owned(),
            _ => panic!("it is text"),
        },
        _ => panic!("it is done"),
    });
}

#[rustfmt::skip]
/// The client requires absolute paths, and `/a` is not absolute on Windows.
#[cfg(unix)]
#[test]
fn every_answer_has_the_expected_encoding() {
    let all = [
        // Tool calls.
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass()),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::allow()),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::allow_with_reason("known")),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny("no \"ls\"\n")),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny_and_stop("no", "enough")),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny_and_stop("no", "enough").with_suppress_output().with_context("c").with_system_message("m")),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::ask("really?").with_context("c")),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::defer()),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_context("c")),
        encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(bash("pwd"))),
        encoded::<PreToolUse>(PreToolUseAnswer::allow().with_updated_input(bash("pwd")).with_context("c")),
        encoded::<PreToolUse>(PreToolUseAnswer::deny("no").with_updated_input(bash("pwd"))),
        encoded::<PreToolUse>(PreToolUseAnswer::defer().with_updated_input(bash("pwd"))),
        encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(Json::parse(r#"{"any": null}"#).unwrap())),
        encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass()),
        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::block("fix it").with_context("c")),
        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::stop("enough")),
        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c")),
        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c").with_classifier_context("k")),
        encoded::<PostToolUse>(PostToolUseAnswer::<tool::Bash>::pass().with_updated_tool_output(output("b"))),
        encoded::<PostToolUse>(PostToolUseAnswer::<Json>::pass().with_updated_tool_output(Json::parse("[{\"type\":\"text\"}]").unwrap())),
        encoded::<PostToolUse>(PostToolUseAnswer::<Unchanged>::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::pass()),
        encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::block("fix it").with_context("c")),
        encoded::<PostToolUseFailure>(PostToolUseFailureAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        encoded::<PostToolBatch>(PostToolBatchAnswer::pass()),
        encoded::<PostToolBatch>(PostToolBatchAnswer::stop("enough").with_context("c")),
        encoded::<PostToolBatch>(PostToolBatchAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        // Permissions.
        encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::pass()),
        encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::allow()),
        encoded::<PermissionRequest>(PermissionRequestAnswer::allow().with_updated_input(bash("pwd")).with_updated_permissions(updates())),
        encoded::<PermissionRequest>(PermissionRequestAnswer::deny("no").with_updated_input(bash("pwd")).with_updated_permissions(updates())),
        encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::deny_and_interrupt("no")),
        encoded::<PermissionRequest>(PermissionRequestAnswer::pass().with_updated_input(bash("pwd"))),
        encoded::<PermissionRequest>(PermissionRequestAnswer::<Unchanged>::pass().with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<PermissionDenied>(PermissionDeniedAnswer::pass()),
        encoded::<PermissionDenied>(PermissionDeniedAnswer::retry().with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::pass()),
        encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::deny("no").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<PreSkillShellCommand>(PreSkillShellCommandAnswer::stop("enough")),
        encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::allow_with_reason("yes").with_context("c").with_system_message("m")),
        encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::ask("sure?").with_context("c")),
        encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::defer()),
        encoded::<PreSkillShellCommand>(<PreToolUseAnswer>::deny_and_stop("no", "enough").with_context("c")),

        // Prompts.
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass()),
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::block("no")),
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::block_and_suppress_original_prompt("no")),
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::stop("enough")),
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass().with_context("c").with_session_title("t")),
        encoded::<UserPromptSubmit>(UserPromptSubmitAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass()),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::block("no")),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::block_and_suppress_original_prompt("no")),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::stop("enough")),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass().with_context("c")),
        encoded::<UserPromptExpansion>(UserPromptExpansionAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<MessageDisplay>(MessageDisplayAnswer::pass()),
        encoded::<MessageDisplay>(MessageDisplayAnswer::pass().with_display_content("d").with_terminal_sequence(bell())),

        // Sessions and turns.
        encoded::<SessionStart>(SessionStartAnswer::pass()),
        encoded::<SessionStart>(SessionStartAnswer::pass().with_context("c")),
        encoded::<SessionStart>(SessionStartAnswer::pass().with_context("c").with_initial_user_message("p").with_session_title("t").with_watch_paths(["/a", "/b"]).with_reload_skills()),
        encoded::<SessionStart>(SessionStartAnswer::pass().with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<Stop>(StopAnswer::pass()),
        encoded::<Stop>(StopAnswer::block("go on")),
        encoded::<Stop>(StopAnswer::block_once(&Stop::new(false), "go on")),
        encoded::<Stop>(StopAnswer::block_once(&Stop::new(true), "go on")),
        encoded::<Stop>(StopAnswer::context("c")),
        encoded::<Stop>(StopAnswer::context_once(&Stop::new(true), "c")),
        encoded::<Stop>(StopAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<SubagentStop>(SubagentStopAnswer::block_once(&SubagentStop::new("Explore", false), "go on")),
        encoded::<SubagentStop>(SubagentStopAnswer::context_once(&SubagentStop::new("Explore", false), "c")),
        encoded::<SubagentStop>(SubagentStopAnswer::stop("enough")),
        encoded::<SubagentStart>(SubagentStartAnswer::pass()),
        encoded::<SubagentStart>(SubagentStartAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        // Compaction.
        encoded::<PreCompact>(PreCompactAnswer::pass()),
        encoded::<PreCompact>(PreCompactAnswer::pass().with_plain_text("keep {names}")),
        encoded::<PreCompact>(PreCompactAnswer::block("not now")),
        encoded::<PreCompact>(PreCompactAnswer::block("not now").with_plain_text("keep names")),
        encoded::<PostCompact>(PostCompactAnswer::pass()),
        encoded::<PostCompact>(PostCompactAnswer::pass().with_plain_text("done")),

        // Models.
        encoded::<PreModelSwitch>(PreModelSwitchAnswer::pass()),
        encoded::<PreModelSwitch>(PreModelSwitchAnswer::allow()),
        encoded::<PreModelSwitch>(PreModelSwitchAnswer::allow_with_reason("cheap")),
        encoded::<PreModelSwitch>(PreModelSwitchAnswer::deny("dear")),
        encoded::<PreModelSwitch>(PreModelSwitchAnswer::ask("dear").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<PostModelSwitch>(PostModelSwitchAnswer::pass()),
        encoded::<PostModelSwitch>(PostModelSwitchAnswer::pass().with_context("c").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        // Teams.
        encoded::<TeammateIdle>(TeammateIdleAnswer::pass()),
        encoded::<TeammateIdle>(TeammateIdleAnswer::block("go on")),
        encoded::<TeammateIdle>(TeammateIdleAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<TaskCreated>(TaskCreatedAnswer::pass()),
        encoded::<TaskCreated>(TaskCreatedAnswer::block("no").with_terminal_sequence(bell()).with_suppress_output()),
        encoded::<TaskCompleted>(TaskCreatedAnswer::block("no")),
        encoded::<TaskCompleted>(TaskCompletedAnswer::pass()),
        encoded::<TaskCompleted>(TaskCompletedAnswer::block("no")),
        encoded::<TaskCompleted>(TaskCompletedAnswer::stop("enough").with_system_message("m").with_terminal_sequence(bell()).with_suppress_output()),

        // Questions of servers.
        encoded::<Elicitation>(ElicitationAnswer::pass()),
        encoded::<Elicitation>(ElicitationAnswer::accept(Json::encode(&BTreeMap::from([("n", 1)])).unwrap())),
        encoded::<Elicitation>(ElicitationAnswer::accept_url()),
        encoded::<Elicitation>(ElicitationAnswer::decline()),
        encoded::<Elicitation>(ElicitationAnswer::block().with_terminal_sequence(bell())),
        encoded::<ElicitationResult>(ElicitationResultAnswer::cancel()),
        encoded::<ElicitationResult>(ElicitationResultAnswer::decline()),
        encoded::<ElicitationResult>(ElicitationResultAnswer::block()),

        // The workspace.
        encoded::<ConfigChange>(ConfigChangeAnswer::pass()),
        encoded::<ConfigChange>(ConfigChangeAnswer::block().with_terminal_sequence(bell())),
        encoded::<WorktreeCreate>(WorktreeCreateAnswer::path("/fast/x y")),
        encoded::<CwdChanged>(CwdChangedAnswer::pass()),
        encoded::<CwdChanged>(CwdChangedAnswer::pass().with_watch_paths([""; 0])),
        encoded::<FileChanged>(FileChangedAnswer::pass().with_watch_paths(["/a"]).with_system_message("m").with_terminal_sequence(bell())),
        encoded::<DirectoryAdded>(DirectoryAddedAnswer::pass()),
        encoded::<DirectoryAdded>(DirectoryAddedAnswer::pass().with_system_message("m").with_terminal_sequence(bell())),

        // Several events.
        encoded::<SessionStart>(ContextAnswer::pass()),
        encoded::<PostModelSwitch>(ContextAnswer::pass().with_context("c")),
        encoded::<PostToolBatch>(ContextAnswer::pass().with_context("c").with_system_message("s")),
        encoded::<Setup>(TerminalAnswer::pass()),
        encoded::<Notification>(TerminalAnswer::pass().with_terminal_sequence(bell())),
        encoded::<SessionEnd>(TerminalAnswer::pass().with_terminal_sequence(bell())),
        encoded::<StopFailure>(TerminalAnswer::pass().with_terminal_sequence(bell())),
        encoded::<InstructionsLoaded>(TerminalAnswer::pass().with_terminal_sequence(bell())),
        encoded::<WorktreeRemove>(TerminalAnswer::pass().with_terminal_sequence(bell())),
        encoded::<Stop>(()),
        encoded::<Stop>(None::<StopAnswer>),
        encoded::<Stop>(Ok::<_, Error>(Some(StopAnswer::block("go on")))),
    ];
    let lines = test_support::lines!("lines/answers.txt");
    let rows: Vec<_> = lines.sections.iter().flat_map(|section| &section.rows).collect();
    assert_eq!(all.len(), rows.len());
    for ((event, denial, text), row) in all.iter().zip(rows) {
        assert_eq!([event.name, denial.as_str()], row.fields(), "line {}", row.number);
        assert_eq!(*text, row.line, "line {}", row.number);
        check(event, text);
    }
    let events: BTreeSet<&str> = all.iter().map(|(event, ..)| event.name).collect();
    assert_eq!(events.len(), facts::EVENTS.len(), "an event has no answer: {events:?}");
}

/// Compares the methods in the source files with the table above.
#[test]
fn every_method_of_every_answer_is_in_the_table() {
    let folder = Path::new("src/answer");
    let table = fs::read_to_string(folder.join("tests.rs")).unwrap();
    let (mut missing, mut count) = (Vec::new(), 0);
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let mut of_answer = None;
        for line in source.lines() {
            let implemented = line.strip_prefix("impl");
            let implemented = implemented.map(|line| line.split_once("> ").map_or(line, |(_, name)| name));
            let declared = line.strip_prefix("    ").filter(|line| line.starts_with(char::is_uppercase));
            if let Some(name) = implemented.or(declared) {
                let mut words = name.split(['<', ' ', ';']).filter(|word| !word.is_empty());
                let name = words.next().unwrap_or_default();
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

/// Returns the alias of an answer type, if it has one.
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
    let calls = PreToolUseAnswer::<Unchanged>::pass;
    let classified = PostToolUseAnswer::<Unchanged>::pass().with_classifier_context(long());
    let started = SessionStartAnswer::pass().with_initial_user_message(long());
    let prompt = UserPromptSubmitAnswer::pass().with_context(long());
    for (limit, (event, _, text)) in [
        (10_000, encoded::<PreToolUse>(<PreToolUseAnswer>::deny("no").with_context(long()))),
        (10_000, encoded::<PreToolUse>(calls().with_system_message(long()))),
        (2_000, encoded::<PostToolUse>(classified)),
        (10_000, encoded::<SessionStart>(started)),
        (10_000, encoded::<UserPromptSubmit>(prompt.with_session_title("t"))),
        (10_000, encoded::<Stop>(StopAnswer::context(long()))),
        (10_000, encoded::<PreCompact>(PreCompactAnswer::pass().with_plain_text(long()))),
        (10_000, encoded::<SubagentStart>(ContextAnswer::pass().with_context(long()))),
    ] {
        check(event, &text);
        let is_cut = text.len().abs_diff(limit) < 160 && text.contains(" more characters are left out]");
        assert!(is_cut, "{text}");
    }
    // A reason is not cut.
    let (.., text) = encoded::<PreToolUse>(PreToolUseAnswer::<Unchanged>::deny(long()));
    assert!(text.contains(&long()));
}

#[test]
fn async_answers_have_only_text() {
    let later = response::<PreToolUse, Async>(AsyncAnswer::pass().with_context("c")).unwrap();
    let expected = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#;
    assert_eq!(String::from_utf8(later.stdout).unwrap(), expected);
    // The client drops the context of an object that has no such member.
    let answer = || AsyncAnswer::pass().with_context("c");
    for answered in [
        response::<TaskCreated, Async>(answer()),
        response::<PreCompact, Async>(answer()),
        response::<PostCompact, Async>(answer()),
        response::<CwdChanged, Async>(answer()),
        response::<FileChanged, Async>(answer()),
        response::<PermissionDenied, Async>(answer()),
        response::<PreModelSwitch, Async>(answer()),
        response::<Elicitation, Async>(answer()),
    ] {
        assert_eq!(answered.unwrap().stdout, br#"{"systemMessage":"c"}"#);
    }
    let nothing = response::<Stop, Async>(AsyncAnswer::pass()).unwrap();
    assert_eq!(nothing, Response::default());

    let woken = response::<Stop, AsyncRewake>(RewakeAnswer::wake("up")).unwrap();
    assert_eq!((&*woken.stderr, woken.exit_code), ("up", 2));
    assert_eq!(woken.stdout, b"stderr says why\n");
    let nothing = response::<Stop, AsyncRewake>(RewakeAnswer::pass()).unwrap();
    assert_eq!(nothing, Response::default());
}

#[test]
fn a_denial_by_exit_code_is_also_in_json() {
    let denied = response::<Stop, Awaited>(ByExitCode(Ok::<_, Error>(Some(StopAnswer::block("go on"))))).unwrap();
    assert_eq!((denied.stderr.as_str(), denied.exit_code), ("go on\n", 2));
    assert_eq!(denied.stdout, br#"{"decision":"block","reason":"go on"}"#);
    let allowed = response::<PreToolUse, Awaited>(ByExitCode(PreToolUseAnswer::<Unchanged>::allow())).unwrap();
    assert_eq!((allowed.stderr.as_str(), allowed.exit_code), ("", 0));
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
    let (.., text) = encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(Set::Bash(bash("pwd"))));
    let merged = r#""updatedInput":{"command":"pwd","new":[1, 2],"run_in_background":false,"description":"look"}"#;
    assert!(text.contains(merged), "{text}");
    let write = Set::Write(tool::Write::new("/a", "b"));
    let (.., text) = encoded::<PreToolUse>(PreToolUseAnswer::pass().with_updated_input(write));
    assert!(text.contains(r#""file_path":"/a","content":"b"}"#), "{text}");
}

#[test]
fn a_context_is_at_the_top_too_where_copilot_cli_reads_it() {
    fn first<E: Event>(answer: impl Answer<E>) -> String {
        let payload = format!(r#"{{"hook_event_name":"{}",{CALL}}}"#, E::FACTS.name);
        let surroundings = Surroundings::variables(|name| (name == "COPILOT_CLI").then(|| "1".into()));
        let payload = Payload::scan(payload.as_bytes(), surroundings).unwrap();
        let printed = String::from_utf8(answer.into_response(&payload).unwrap().stdout).unwrap();
        let object =
            format!(r#""hookSpecificOutput":{{"hookEventName":"{}","additionalContext":"c"}}}}"#, E::FACTS.name);
        printed.strip_suffix(&*object).unwrap().to_owned()
    }
    assert_eq!(first::<PreToolUse>(PreToolUseAnswer::<Unchanged>::pass().with_context("c")), "{");
    let start = SessionStartAnswer::pass().with_context("c");
    assert_eq!(first::<SessionStart>(start), r#"{"additionalContext":"c","#);
    let block = PostToolUseAnswer::<Unchanged>::block("no").with_context("c");
    assert_eq!(first::<PostToolUse>(block), r#"{"decision":"block","reason":"no","additionalContext":"c","#);
}

/// A hook that reads only a path must not keep a large input for the sake of its answer.
#[test]
fn only_an_answer_that_replaces_a_member_requests_it() {
    fn requested<E: Event, A: Answer<E>>() -> String {
        let mut projection = PayloadProjection::nothing();
        A::projection(&mut projection);
        format!("{projection:?}")
    }
    let nothing = format!("{:?}", PayloadProjection::nothing());
    assert_eq!(requested::<PreToolUse, PreToolUseAnswer>(), nothing);
    let found = requested::<PostToolUse, Result<Option<PostToolUseAnswer>, Error>>();
    assert_eq!(found, nothing);
    let mut input = PayloadProjection::nothing();
    input.add_member("tool_input", json::Projection::All);
    let input = format!("{input:?}");
    let found = requested::<PreToolUse, Result<Option<PreToolUseAnswer<tool::Bash>>, Error>>();
    assert_eq!(found, input);
    let found = requested::<PermissionRequest, PermissionRequestAnswer<tool::Bash>>();
    assert_eq!(found, input);
    assert!(requested::<PostToolUse, PostToolUseAnswer<tool::Bash>>().contains("tool_response"));
}
