use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hookkit_spool::State;
use serde_json::{Value, json};
use test_support::{Has, made};

use super::*;
use crate::__private::{AsyncRewake, Declaration, UNDECLARED, define, entry};
use crate::Payload;
use crate::answer::{Answer, RewakeAnswer};
use crate::event::Stop;

const GUARD: HookDef = define(
    Declaration {
        name: "guard",
        package: "acme-guards",
        package_version: "1.2.0",
        on_failure: OnFailure::Block,
        ..UNDECLARED
    },
    &[],
    None,
);

/// Creates an audit in a folder. It lives as long as the process does.
fn audit(folder: &Path, is_required: bool) -> &'static Audit {
    Box::leak(Box::new(Audit {
        folder: folder.to_str().unwrap().to_owned().leak(),
        command: "/p/.claude/hookkit/project/bin/guard",
        revision: "0123abcd",
        is_required,
    }))
}

fn run(audit: &'static Audit, payload: &Value) -> Run {
    Run::of(audit, &GUARD, payload.to_string().as_bytes(), SystemTime::now()).unwrap()
}

fn call(input: Value) -> Value {
    json!({
        "session_id": "s", "cwd": "/p", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "tool_input": input,
    })
}

fn answer(stdout: &str) -> Response {
    Response { stdout: stdout.to_owned().into(), ..Response::default() }
}

/// Returns the text of all segments.
fn text(audit: &Audit) -> String {
    let segments = Spool::new(audit.folder, Limits::default()).segments().unwrap();
    segments.iter().map(|segment| fs::read_to_string(&segment.path).unwrap()).collect()
}

/// Returns the records of an audit with their attributes, keyed by name.
fn records(audit: &Audit) -> Vec<(Value, BTreeMap<String, String>)> {
    let text = text(audit);
    let records = text.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let record = line["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0].clone();
        let attributes = record["attributes"].as_array().unwrap().iter().map(|attribute| {
            let value = attribute["value"].as_object().unwrap().values().next().unwrap();
            (attribute["key"].as_str().unwrap().to_owned(), value.as_str().unwrap().to_owned())
        });
        let attributes = attributes.collect();
        (record, attributes)
    });
    records.collect()
}

fn never(_: &Error) -> Response {
    panic!("the hook fails")
}

#[test]
fn a_line_has_the_call_the_hook_and_its_decision() {
    let folder = test_support::folder();
    let audit = audit(&folder.path().join("audit"), true);
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"`a` and `b` are lost\nno"}}"#;
    let run = run(audit, &call(json!({"command": "ls"})));
    let response = run.settled(answer(deny), Duration::from_micros(812), never);
    assert_eq!(response, answer(deny));
    // The receivers' tests read this line.
    let text = text(audit);
    let (record, mut attributes) = records(audit).pop().unwrap();
    let hash = attributes.remove("hookkit.sha256").unwrap();
    assert_eq!(hash.len(), 64);
    let time = record["timeUnixNano"].as_str().unwrap();
    let mut as_written = text.clone();
    for (part, name) in [
        (run.id(), "ID"),
        (&hash, "SHA256"),
        (time, "1764054000123000000"),
        (&sys::host_name(), "HOST"),
        (env!("CARGO_PKG_VERSION"), "VERSION"),
    ] {
        as_written = as_written.replacen(part, name, 1);
    }
    assert_eq!(as_written, include_str!("../../../lines/audit.jsonl"));
    assert_eq!(attributes.remove("log.record.uid").unwrap(), run.id());
    let attributes: Vec<_> = attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        attributes,
        [
            "cwd=/p",
            "duration_us=812",
            "hook_event=PreToolUse",
            "hookkit.command=/p/.claude/hookkit/project/bin/guard",
            "hookkit.decision=deny",
            "hookkit.hook=guard",
            "hookkit.package=acme-guards",
            "hookkit.package_version=1.2.0",
            "hookkit.policy.revision=0123abcd",
            "hookkit.reason=`a` and `b` are lost\nno",
            "hookkit.rule=`…` and `…` are lost",
            "session.id=s",
            r#"tool_input={"command":"ls"}"#,
            "tool_name=Bash",
            "tool_use_id=toolu_1",
        ]
    );
    assert_eq!(record["body"]["stringValue"], deny);
    assert_eq!(record["severityText"], "WARN");
    let nanoseconds: u64 = record["timeUnixNano"].as_str().unwrap().parse().unwrap();
    assert!(run.id().starts_with(&format!("{nanoseconds:016x}")));
}

#[test]
fn each_answer_has_its_word_and_its_severity() {
    let of = |output: Value| answer(&json!({"hookSpecificOutput": output}).to_string());
    let stderr = || crate::failure::failure(&GUARD, None, &Error::msg("why")).stderr;
    let failed = |exit_code| Response { stderr: stderr(), exit_code, ..Response::default() };
    let asked = Response { stderr: stderr(), ..of(json!({"permissionDecision": "ask"})) };
    let woken = RewakeAnswer::wake("the build is red");
    let payload = Payload::parse(b"{}").unwrap();
    let woken = Answer::<Stop, AsyncRewake>::into_response(woken, &payload).unwrap();
    let by_exit_code = Response { stderr: "no\n".to_owned(), exit_code: 2, ..Response::default() };
    for (response, expected) in [
        (by_exit_code, "deny WARN no"),
        (answer(""), "none INFO"),
        (of(json!({"permissionDecision": "allow"})), "allow INFO"),
        (of(json!({"permissionDecision": "ask"})), "ask WARN"),
        (of(json!({"decision": {"behavior": "deny", "message": "m"}})), "deny WARN m"),
        (answer(r#"{"decision":"block","reason":"r"}"#), "block WARN r"),
        (answer(r#"{"continue":false,"stopReason":"s"}"#), "stop WARN s"),
        (
            answer(r#"{"continue":false,"stopReason":"s","hookSpecificOutput":{"permissionDecision":"allow"}}"#),
            "stop WARN s",
        ),
        (answer(r#"{"continue":false,"decision":"block","reason":"r"}"#), "block WARN r"),
        (woken, "context WARN the build is red"),
        (of(json!({"updatedInput": {}})), "rewrite WARN"),
        (of(json!({"additionalContext": "c"})), "context WARN"),
        (failed(1), "none ERROR hookkit: hook `guard` failed: why"),
        (failed(2), "deny ERROR hookkit: hook `guard` failed: why"),
        (asked, "ask ERROR hookkit: hook `guard` failed: why"),
    ] {
        let folder = test_support::folder();
        let audit = audit(folder.path(), true);
        run(audit, &call(json!({}))).settled(response, Duration::ZERO, never);
        let (record, attributes) = records(audit).pop().unwrap();
        let reason = attributes.get("hookkit.reason").map(|reason| format!(" {reason}"));
        let severity = record["severityText"].as_str().unwrap();
        let found = format!("{} {severity}{}", attributes["hookkit.decision"], reason.unwrap_or_default());
        assert_eq!(found, expected);
    }
}

#[test]
fn a_line_that_cannot_be_written_is_said_and_fails_the_hook_if_it_is_required_and_would_let_the_call_go_ahead() {
    let folder = test_support::folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let deny = r#"{"decision":"block","reason":"r"}"#;
    for (is_required, stdout, fails) in
        [(false, "", false), (false, deny, false), (true, deny, false), (true, "", true)]
    {
        let run = run(audit(&file.join("audit"), is_required), &call(json!({})));
        let mut error = None;
        let response = run.settled(answer(stdout), Duration::ZERO, |err| {
            error = Some(err.to_string());
            Response::default()
        });
        assert_eq!(error.is_some(), fails, "{stdout}");
        error.unwrap_or(response.stderr).has("its decision is not in the audit `");
    }
}

#[test]
fn the_line_of_a_process_that_cannot_go_on_is_a_segment() {
    let folder = test_support::folder();
    let audit = audit(folder.path(), false);
    run(audit, &call(json!({}))).settled(Response::default(), Duration::ZERO, never);
    let run = run(audit, &call(json!({"command": "ls"})));
    assert!(run.fail(&GUARD, "it was not done in time", Duration::from_secs(4)));
    let segments = Spool::new(audit.folder, Limits::default()).segments().unwrap();
    let states: Vec<_> = segments.iter().map(|segment| segment.state).collect();
    assert_eq!(states, [State::Closed, State::Open]);
    assert_eq!(segments[0].id, run.id());
    let (record, attributes) = &records(audit)[0];
    assert_eq!(attributes["hookkit.decision"], "deny");
    assert_eq!(attributes["duration_us"], "4000000");
    attributes["hookkit.reason"].has("hook `guard` failed: it was not done in time");
    assert_eq!(record["severityText"], "ERROR");
    assert_eq!(
        fs::read_dir(folder.path())
            .unwrap()
            .filter(|entry| { entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "part") })
            .count(),
        0
    );
}

#[test]
fn a_line_that_cannot_be_written_leaves_no_part() {
    let folder = test_support::folder();
    let run = run(audit(folder.path(), false), &call(json!({})));
    let [part, path] = run.own.each_ref().map(|path| path.to_str().unwrap());
    fs::create_dir(path).unwrap();
    assert!(!run.fail(&GUARD, "why", Duration::ZERO));
    assert!(!fs::exists(part).unwrap());
}

/// Variable with the folder of the audit, for a process that a test starts as a hook.
const FOLDER: &str = "HOOKKIT_TEST_AUDIT";

/// A hook that denies, with another thread that panics while the line waits for the lock.
static DENIES: HookDef = define(
    Declaration { name: "denies", on_failure: OnFailure::Continue, ..UNDECLARED },
    &[entry::<Stop>(
        None,
        None,
        false,
        |_| {
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                panic!("elsewhere");
            });
            Ok(answer(r#"{"decision":"block","reason":"r"}"#))
        },
        &[],
    )],
    None,
);

#[test]
fn a_panic_in_another_thread_leaves_an_answer_that_is_being_audited() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        audit_in(audit(folder.as_ref(), false));
        crate::__private::run(&DENIES);
    }
    let folder = test_support::folder();
    let audit = audit(folder.path(), false);
    run(audit, &call(json!({}))).settled(Response::default(), Duration::ZERO, never);
    let file = fs::File::open(folder.path().join("open.jsonl")).unwrap();
    file.lock().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "record::audit::tests::a_panic_in_another_thread_leaves_an_answer_that_is_being_audited",
            "--nocapture",
        ])
        .env(FOLDER, folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(br#"{"hook_event_name":"Stop"}"#).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    drop(file);
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).has(r#"{"decision":"block","reason":"r"}"#);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(records(audit)[1].1["hookkit.decision"], "block");
}

#[test]
fn three_hundred_secrets_are_in_no_segment() {
    let folder = test_support::folder();
    let audit = audit(folder.path(), true);
    let forms = test_support::lines!("secrets/lines/forms.txt");
    let mut count = 0;
    for form in &forms.section("forms").rows {
        let secret = format!("{}{}", form.expected.join("\t"), made(&form.line));
        let run = run(audit, &call(json!({"command": format!("deploy '{secret}'"), "list": [secret]})));
        let reason = json!({"decision": "block", "reason": format!("no: {secret}")}).to_string();
        run.settled(answer(&reason), Duration::ZERO, never);
        let failed = Response {
            stderr: format!("hookkit: hook `guard` failed: no such file `{secret}`\n"),
            exit_code: 2,
            ..Response::default()
        };
        run.settled(failed, Duration::ZERO, never);
        count += 4;
        let text = text(audit);
        // The longest word of the secret: the rest belongs to its form.
        let words = secret.split(|char: char| !char.is_ascii_alphanumeric());
        let longest = words.max_by_key(|word| word.len()).unwrap();
        let plain = longest.get(12..).filter(|rest| rest.len() > 8).unwrap_or(longest);
        assert!(!text.contains(plain), "{secret}");
        fs::remove_file(folder.path().join("open.jsonl")).unwrap();
    }
    assert!(count >= 300, "{count}");
}

#[test]
fn a_payload_that_is_not_json_has_its_line_too() {
    let folder = test_support::folder();
    let audit = audit(folder.path(), true);
    for payload in ["", "{", "not JSON", "{\"session_id\":1,\"tool_input\":\"text\\n\"}"] {
        let run = Run::of(audit, &GUARD, payload.as_bytes(), SystemTime::now()).unwrap();
        run.settled(Response::default(), Duration::ZERO, never);
    }
    let long = run(audit, &call(json!({"command": "x".repeat(TEXT_LIMIT)})));
    long.settled(Response::default(), Duration::ZERO, never);
    let records = records(audit);
    assert_eq!(records.len(), 5);
    assert_eq!(records[3].1["tool_input"], r#""text\n""#);
    assert_eq!(records[4].1["tool_input_bytes"], (TEXT_LIMIT + 14).to_string());
}

#[test]
fn a_relative_folder_is_in_the_home_folder_of_the_account_whatever_home_is() {
    let home = Command::new("sh").args(["-c", "eval echo ~$(id -un)"]).env("HOME", "/elsewhere").output().unwrap();
    let home = String::from_utf8(home.stdout).unwrap();
    let home = if home.starts_with('~') { "/" } else { home.trim_end() };
    let audit = audit(Path::new("missing/audit"), false);
    let [part, _] = &run(audit, &call(json!({}))).own;
    let folder = Path::new(home).join("missing/audit");
    assert!(Path::new(part.to_str().unwrap()).starts_with(folder), "{part:?}");
}
