use hookkit_protocol::agents::CODEX;

use super::*;
use crate::event::{Event, Stop};

/// Calls of Codex, and what Claude Code's payload has of each.
#[test]
fn calls_are_read_in_the_words_of_claude_code() {
    let folder = test_support::folder();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\nfour\n").unwrap();
    test_support::lines!("lines/agent-calls.txt").check(|section, line| {
        let (tool, input) = line.split_once(' ').expect("a tool and its input");
        let cwd = quoted(&folder.path().display().to_string());
        let response = if section.name == "PostToolUse" {
            r#","tool_response":"done\n""#
        } else {
            ""
        };
        let event = section.name;
        let payload = format!(
            r#"{{"hook_event_name":"{event}","cwd":{cwd},"tool_name":"{tool}","tool_input":{input}{response}}}"#
        );
        let called = called(&CODEX, payload.as_bytes()).unwrap().expect("a row of the event");
        let calls = match called.calls(payload.as_bytes()) {
            Ok(calls) => calls,
            Err(err) => return format!("fails: {err}"),
        };
        let call = |call: &Cow<'_, [u8]>| {
            let call = Payload::parse(call).unwrap();
            let text = |name: &str| {
                call.member(name)
                    .map(|value| decode::<Json>(value).unwrap().text().to_owned())
            };
            assert!(text("agent_payload").is_none_or(|original| original == payload));
            let response = text("tool_response").map_or_else(String::new, |response| format!(" → {response}"));
            format!(
                "{} {}{response}",
                call.string("tool_name").unwrap(),
                text("tool_input").unwrap()
            )
        };
        let calls: Vec<String> = calls.iter().map(call).collect();
        calls
            .join(" and ")
            .replace(&format!("{}/", folder.path().display()), "")
    });
}

/// Each answer that hookkit writes (`lines/answers.txt`), in the form of Codex.
#[test]
fn answers_are_written_in_the_form_of_the_agent() {
    let event = |name: &str| {
        let payload = format!(r#"{{"hook_event_name":"{name}","tool_name":"Bash"}}"#);
        called(&CODEX, payload.as_bytes()).unwrap()
    };
    test_support::lines!("lines/agent-answers.txt")
        .check(|section, answer| String::from_utf8(said(event(section.name), answer, 0).stdout).unwrap());
    let rows = test_support::lines!("lines/agent-answers.txt");
    let row = |event: &str, answer: &str| {
        let section = rows.sections.iter().find(|section| section.name == event);
        section.is_some_and(|section| section.lines().any(|line| line == answer))
    };
    let answers = test_support::lines!("lines/answers.txt");
    let all = answers.sections.iter().flat_map(|section| &section.rows);
    let missing = all.filter(|answer| {
        let name = &*answer.expected[0];
        event(name).is_some() && answer.line.starts_with('{') && !row(name, &answer.line)
    });
    let missing: Vec<_> = missing
        .map(|answer| format!("[{}] {}", answer.expected[0], answer.line))
        .collect();
    assert!(
        missing.is_empty(),
        "add these rows to lines/agent-answers.txt:\n{}",
        missing.join("\n")
    );
}

#[test]
fn a_failure_denies_by_exit_code_2_and_a_reason_on_stderr() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let payload = br#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
    for called in [None, called(&CODEX, payload).unwrap()] {
        let response = said(called, deny, 2);
        assert_eq!(
            (&*response.stdout, &*response.stderr, response.exit_code),
            (&b""[..], "why\n", 2)
        );
    }
}

#[test]
fn a_patch_is_denied_if_one_of_its_files_is() {
    let call = Called {
        event: CODEX.event("PreToolUse").unwrap(),
        tool: CODEX.own_tool("apply_patch"),
    };
    let patch = quoted("*** Begin Patch\n*** Add File: a\n+1\n*** Add File: b\n+2\n*** Add File: c\n+3\n*** End Patch");
    let payload = format!(
        r#"{{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"apply_patch","tool_input":{{"command":{patch}}}}}"#
    );
    let calls = std::cell::RefCell::new(Vec::new());
    let answer = |word: &str, text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        let file = ["/p/a", "/p/b", "/p/c"]
            .into_iter()
            .find(|file| text.contains(&format!("file_path\":\"{file}")))
            .unwrap();
        calls.borrow_mut().push(file);
        let stdout = match file {
            "/p/b" if word == "context" => {
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}"#.to_owned()
            }
            "/p/b" => {
                format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{word}"}}}}"#)
            }
            _ => String::new(),
        };
        Response {
            stdout: stdout.into_bytes(),
            ..Response::default()
        }
    };
    for (word, files, denies) in [("deny", 2, true), ("ask", 3, true), ("context", 3, false)] {
        calls.borrow_mut().clear();
        let response = call.respond(payload.as_bytes(), |text| answer(word, text)).unwrap();
        let response = form(&CODEX, Some(call), "guard", response);
        assert_eq!(calls.borrow().len(), files, "{word}");
        let denied = String::from_utf8_lossy(&response.stdout).contains(r#""permissionDecision":"deny""#);
        assert_eq!(denied, denies, "{word}");
    }
}

#[test]
fn a_member_that_the_agent_lacks_is_filled_in() {
    let payload = br#" {"hook_event_name":"PostCompact","trigger":"auto"}"#;
    let calls = called(&CODEX, payload).unwrap().unwrap().calls(payload).unwrap();
    assert_eq!(
        *calls[0],
        br#"{"compact_summary":"","hook_event_name":"PostCompact","trigger":"auto"}"#[..]
    );
    assert!(called(&CODEX, br#"{"hook_event_name":"Interrupt"}"#).unwrap().is_none());
    // All members of a row's event are those of Claude Code otherwise.
    assert_eq!(Stop::FACTS.name, CODEX.own_event("Stop").unwrap().name);
}

fn said(called: Option<Called>, answer: &str, exit_code: u8) -> Response {
    let response = Response {
        stdout: answer.as_bytes().to_vec(),
        stderr: if exit_code == 0 {
            String::new()
        } else {
            "why\n".to_owned()
        },
        exit_code,
    };
    form(&CODEX, called, "guard", response)
}
