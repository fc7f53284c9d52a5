use hookkit_protocol::agents::CODEX;
use test_support::lines;

use super::*;

/// Returns the rows that a payload is on.
fn on(payload: &str) -> Called {
    called(&CODEX, payload.as_bytes()).unwrap().expect("a row of the event")
}

fn said(called: Option<Called>, answer: &str, exit_code: u8) -> [String; 2] {
    let (stdout, stderr) = (answer.as_bytes().to_vec(), "why\n".to_owned());
    let response = Response {
        stdout,
        stderr,
        exit_code,
    };
    let response = form(&CODEX, called, "guard", response);
    [
        String::from_utf8(response.stdout).unwrap(),
        format!("{} {}", response.exit_code, response.stderr),
    ]
}

#[test]
fn calls_are_read_in_the_words_of_claude_code() {
    let folder = test_support::folder();
    let path = format!("{}/", folder.path().display());
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\nfour\n").unwrap();
    lines!("lines/agent-calls.txt").check(|section, line| {
        let (tool, input) = line.split_once(' ').expect("a tool and its input");
        let response = if section.name == "PostToolUse" {
            r#","tool_response":"done\n""#
        } else {
            ""
        };
        let (event, cwd) = (section.name, quoted(&path));
        let payload = format!(
            r#"{{"hook_event_name":"{event}","cwd":{cwd},"tool_name":"{tool}","tool_input":{input}{response}}}"#
        );
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
        match on(&payload).calls(payload.as_bytes()) {
            Ok(calls) => calls
                .iter()
                .map(call)
                .collect::<Vec<_>>()
                .join(" and ")
                .replace(&path, ""),
            Err(err) => format!("fails: {err}"),
        }
    });
}

/// Each answer that hookkit writes (`lines/answers.txt`) has a row in the form of Codex.
#[test]
fn answers_are_written_in_the_form_of_the_agent() {
    let (answers, rows) = (lines!("lines/answers.txt"), lines!("lines/agent-answers.txt"));
    for row in answers.sections.iter().flat_map(|section| &section.rows) {
        let (event, answer) = (&*row.expected[0], &*row.line);
        let payload = format!(r#"{{"hook_event_name":"{event}","tool_name":"Bash"}}"#);
        let called = called(&CODEX, payload.as_bytes()).unwrap();
        if called.is_some() && answer.starts_with('{') {
            let form = &said(called, answer, 0)[0];
            let rows = &rows.section(event).rows;
            let found = rows.iter().any(|row| row.line == answer && row.expected == [&**form]);
            assert!(found, "no row [{event}] {form}\t{answer}");
        }
    }
}

#[test]
fn a_failure_denies_by_exit_code_2_and_a_reason_on_stderr() {
    let deny = r#"{"decision":"block","reason":"no"}"#;
    for called in [None, Some(on(r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#))] {
        assert_eq!(said(called, deny, 2), ["", "2 why\n"]);
    }
}

#[test]
fn a_patch_is_denied_if_one_of_its_files_is() {
    let patch = quoted("*** Add File: a\n+1\n*** Add File: b\n+2\n*** Add File: c\n+3");
    let payload = format!(
        r#"{{"hook_event_name":"PreToolUse","cwd":"/p","tool_name":"apply_patch","tool_input":{{"command":{patch}}}}}"#
    );
    for (word, calls) in [("deny", 2), ("ask", 3)] {
        let count = std::cell::Cell::new(0);
        let answer = |_: &[u8]| {
            count.set(count.get() + 1);
            let word = if count.get() == 2 { word } else { "allow" };
            let stdout = format!(r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}"}}}}"#).into_bytes();
            Response {
                stdout,
                ..Response::default()
            }
        };
        let response = on(&payload).respond(payload.as_bytes(), answer).unwrap();
        let answer = form(&CODEX, Some(on(&payload)), "guard", response);
        assert_eq!(count.get(), calls);
        assert!(
            String::from_utf8(answer.stdout)
                .unwrap()
                .contains(r#""permissionDecision":"deny""#),
            "{word}"
        );
    }
}

#[test]
fn a_member_that_the_agent_lacks_is_filled_in() {
    let payload = r#" {"hook_event_name":"PostCompact"}"#;
    let calls = on(payload).calls(payload.as_bytes()).unwrap();
    assert_eq!(
        *calls[0],
        br#"{"compact_summary":"","hook_event_name":"PostCompact"}"#[..]
    );
}
