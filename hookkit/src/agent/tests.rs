use hookkit_protocol::agents::{CODEX, COPILOT, DROID, GEMINI, KIMI, OPENCODE, QWEN};
use test_support::lines;

use super::*;

/// Returns the agent's rows for a payload.
fn on(agent: &'static Agent, payload: &str) -> Option<Called> {
    called(agent, payload.as_bytes()).unwrap()
}

fn response(stdout: &str) -> Response {
    let stdout = stdout.as_bytes().to_vec();
    Response { stdout, ..Response::default() }
}

/// Returns a response in an agent's form.
fn said(agent: &Agent, called: Option<Called>, response: Response) -> String {
    let said = form(agent, called, "guard", response);
    String::from_utf8(said.stdout).unwrap() + &said.stderr
}

#[test]
fn calls_are_read_in_the_words_of_claude_code() {
    let folder = test_support::folder();
    let path = format!("{}/", folder.path().display());
    fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\nfour\n").unwrap();
    let codex = (&CODEX, r#""tool_response":"done\n""#, lines!("lines/codex-calls.txt"));
    let result = r#""tool_result":{"text_result_for_llm":"done\n"}"#;
    let copilot = (&COPILOT, result, lines!("lines/copilot-calls.txt"));
    let droid = (&DROID, codex.1, lines!("lines/droid-calls.txt"));
    let display = r#""tool_response":{"llmContent":"Output: done","returnDisplay":"done\n"}"#;
    let qwen = (&QWEN, display, lines!("lines/qwen-calls.txt"));
    let gemini = (&GEMINI, display, lines!("lines/gemini-calls.txt"));
    let kimi = (&KIMI, "", lines!("lines/kimi-calls.txt"));
    let opencode = (&OPENCODE, codex.1, lines!("lines/opencode-calls.txt"));
    for (agent, output, rows) in [codex, copilot, droid, qwen, gemini, kimi, opencode] {
        rows.check(|section, line| {
            let (tool, input) = line.split_once(' ').expect("a tool and its input");
            let (event, cwd) = (agent.event(section.name).unwrap().own, quoted(&path));
            let response = [r#""turn_id":"t""#, output][usize::from(section.name == "PostToolUse")];
            let payload = format!(
                r#"{{"hook_event_name":"{event}","cwd":{cwd},"tool_name":"{tool}","tool_input":{input},{response}}}"#
            );
            let call = |call: &Cow<'_, [u8]>| {
                let call = Payload::parse(call).unwrap();
                let json = |name: &str| call.member(name).map(|value| decode::<Json>(value).unwrap());
                assert!(json("agent_payload").is_none_or(|original| original.text() == payload));
                let response = json("tool_response").map(|response| format!(" → {}", response.text()));
                let (tool, input) = (call.string("tool_name").unwrap(), json("tool_input").unwrap());
                format!("{tool} {}{}", input.text(), response.unwrap_or_default())
            };
            let calls = on(agent, &payload).unwrap().calls(payload.as_bytes());
            let calls = calls.map(|calls| calls.iter().map(call).collect::<Vec<_>>().join(" and "));
            calls.unwrap_or_else(|err| format!("fails: {err}")).replace(&path, "")
        });
    }
}

/// Checks that every answer in `lines/answers.txt` has a row for the form of each agent.
#[test]
fn answers_are_written_in_the_form_of_the_agent() {
    let answers = lines!("lines/answers.txt");
    let codex = (&CODEX, lines!("lines/codex-answers.txt"));
    let copilot = (&COPILOT, lines!("lines/copilot-answers.txt"));
    let droid = (&DROID, lines!("lines/droid-answers.txt"));
    let qwen = (&QWEN, lines!("lines/qwen-answers.txt"));
    let gemini = (&GEMINI, lines!("lines/gemini-answers.txt"));
    let kimi = (&KIMI, lines!("lines/kimi-answers.txt"));
    let opencode = (&OPENCODE, lines!("lines/opencode-answers.txt"));
    for (agent, rows) in [codex, copilot, droid, qwen, gemini, kimi, opencode] {
        for row in answers.sections.iter().flat_map(|section| &section.rows) {
            let (event, answer) = (&*row.expected[0], &*row.line);
            let own = agent.event(event).map_or("", |event| event.own);
            let tool = agent.tools[0].own;
            let called = on(agent, &format!(r#"{{"hook_event_name":"{own}","tool_name":"{tool}"}}"#));
            if called.is_some() && answer.starts_with('{') {
                let form = said(agent, called, response(answer));
                let mut rows = rows.section(event).rows.iter();
                let is_known = rows.any(|row| row.line == answer && row.expected == [&*form]);
                assert!(is_known, "no row [{event}] {form}\t{answer}");
            }
        }
    }
}

#[test]
fn a_failure_denies_by_exit_code_2_or_an_answer_whose_reason_is_read() {
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
    let mut failed = response(r#"{"decision":"block","reason":"no"}"#);
    (failed.stderr, failed.exit_code) = ("why\n".to_owned(), 2);
    for (agent, called) in [(&CODEX, None), (&CODEX, on(&CODEX, payload)), (&COPILOT, None)] {
        assert_eq!(said(agent, called, failed.clone()), "why\n");
    }
    for (stdout, reason) in [(&b"no"[..], "why"), (&failed.stdout.clone(), "no")] {
        failed.stdout = stdout.to_vec();
        let answer = form(&COPILOT, on(&COPILOT, payload), "guard", failed.clone());
        assert!(String::from_utf8_lossy(&answer.stdout).contains(&format!(r#"Reason":"{reason}""#)));
        assert_eq!(answer.exit_code, 0);
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
            response(&format!(r#"{{"hookSpecificOutput":{{"permissionDecision":"{word}"}}}}"#))
        };
        let answer = on(&CODEX, &payload).unwrap().respond(payload.as_bytes(), answer).unwrap();
        assert!(said(&CODEX, on(&CODEX, &payload), answer).contains(r#""permissionDecision":"deny""#));
        assert_eq!(count.get(), calls, "{word}");
    }
}

#[test]
fn a_member_that_the_agent_lacks_is_filled_in() {
    let payload = r#" {"hook_event_name":"PostCompact"}"#;
    let calls = on(&CODEX, payload).unwrap().calls(payload.as_bytes()).unwrap();
    assert_eq!(*calls[0], br#"{"compact_summary":"","hook_event_name":"PostCompact"}"#[..]);
}

#[test]
fn a_value_is_read_in_the_word_of_claude_code() {
    let payload = r#"{"hook_event_name":"SessionStart","source":"new"}"#;
    let calls = on(&COPILOT, payload).unwrap().calls(payload.as_bytes()).unwrap();
    assert_eq!(*calls[0], br#"{"hook_event_name":"SessionStart","source":"startup"}"#[..]);
}

#[test]
fn a_list_of_parts_is_read_as_its_texts() {
    for (prompt, read) in [
        (r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#, r#""a\nb""#),
        (r#""as it is""#, r#""as it is""#),
    ] {
        let payload = format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":{prompt}}}"#);
        let calls = on(&KIMI, &payload).unwrap().calls(payload.as_bytes()).unwrap();
        let expected = format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":{read}}}"#);
        assert_eq!(String::from_utf8_lossy(&calls[0]), expected);
    }
}

#[test]
fn a_denial_by_exit_code_has_nothing_on_stdout() {
    let called = on(&KIMI, r#"{"hook_event_name":"UserPromptSubmit","prompt":"go"}"#);
    for (answer, code) in [
        (r#"{"decision":"block","reason":"no","hookSpecificOutput":{"additionalContext":"c"}}"#, 2),
        (r#"{"hookSpecificOutput":{"additionalContext":"c"}}"#, 0),
    ] {
        let form = form(&KIMI, called, "guard", response(answer));
        assert_eq!((form.exit_code, form.stdout.is_empty()), (code, code == 2));
    }
}

#[test]
fn an_event_that_comes_again_is_left_out() {
    for (prompt, is_left_out) in [("", true), ("go", false)] {
        let payload = format!(r#"{{"hook_event_name":"UserPromptSubmit","prompt":"{prompt}"}}"#);
        let called = on(&QWEN, &payload).unwrap();
        assert_eq!(called.is_left_out(payload.as_bytes()), is_left_out);
    }
}

#[test]
fn blocks_of_the_end_of_a_turn_are_counted_in_a_row() {
    let folder = test_support::folder();
    let count = |goes_on: bool| {
        let payload = format!(r#"{{"session_id":"s","cwd":"/p","stop_hook_active":{goes_on}}}"#);
        blocks(payload.as_bytes(), Some(folder.path().to_owned())).unwrap()
    };
    assert_eq!([false, true, true, false, true].map(count), [1, 2, 3, 1, 2]);
}
