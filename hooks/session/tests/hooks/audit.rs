//! Tests of `audit_tool_calls` on recorded events.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use hookkit::{Hook, Payload, Response, respond};
use hookkit_session::audit::audit_tool_calls;
use serde_json::{Value, json};

const BASH: &str = include_str!("../fixtures/pre_tool_use/bash.json");
const BASH_IN_SUBAGENT: &str = include_str!("../fixtures/pre_tool_use/bash_in_subagent.json");
const MCP: &str = include_str!("../fixtures/pre_tool_use/mcp.json");

const LOG: &str = ".claude/audit/tool-calls.jsonl";

fn answer(event: &Value) -> Response {
    respond(audit_tool_calls::DEF, &Payload::parse(event.to_string().as_bytes()).unwrap())
}

/// Returns the recorded event in another project.
fn in_project(event: &str, project: &Path) -> Value {
    let mut event: Value = serde_json::from_str(event).unwrap();
    event["cwd"] = project.to_str().into();
    event
}

fn records(project: &Path) -> Vec<Value> {
    let log = fs::read_to_string(project.join(LOG)).unwrap();
    assert!(log.ends_with('\n'));
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_call_is_a_record_and_gets_no_opinion() {
    let project = test_support::folder();
    let project = project.path();
    for event in [BASH, BASH_IN_SUBAGENT, MCP] {
        assert_eq!(answer(&in_project(event, project)), Response::default());
    }
    let mut records = records(project);
    for record in &mut records {
        assert_eq!(record["cwd"].take(), json!(project));
        let time = record["time"].take();
        let time = time.as_str().unwrap();
        assert!(time.starts_with("20") && time.ends_with('Z') && time.len() == 24, "{time}");
    }
    let expected: Vec<Value> =
        include_str!("../fixtures/audited.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records, expected);
}

#[test]
fn a_log_that_cannot_be_written_does_not_stop_the_work() {
    let project = test_support::folder();
    fs::create_dir_all(project.path().join(LOG)).unwrap();
    let response = answer(&in_project(BASH, project.path()));
    assert_eq!((response.stdout.as_slice(), response.exit_code), (&b""[..], 1));
    let message =
        format!("hookkit: hook `audit-tool-calls` failed: cannot write `{}/{LOG}`: ", project.path().display());
    let slashes = |text: &str| text.replace('\\', "/");
    let expected = slashes(&message);
    assert!(slashes(&response.stderr).starts_with(&expected), "{}", response.stderr);
}

/// Number of calls of each thread and each process.
const CALLS: usize = 25;

/// Makes calls with inputs of different lengths, up to much more than a page.
fn make_calls(project: &Path, caller: usize) {
    for call in 0..CALLS {
        let mut event = in_project(BASH, project);
        event["tool_use_id"] = format!("{caller}-{call}").into();
        event["tool_input"]["command"] = "x".repeat(call * 1000).into();
        assert_eq!(answer(&event), Response::default());
    }
}

fn assert_all_calls(project: &Path, callers: usize) {
    let mut found: Vec<_> = records(project)
        .iter()
        .map(|record| {
            (
                record["tool_use_id"].as_str().unwrap().to_owned(),
                record["tool_input"]["command"].as_str().unwrap().len(),
            )
        })
        .collect();
    let mut made: Vec<_> =
        (0..callers).flat_map(|caller| (0..CALLS).map(move |call| (format!("{caller}-{call}"), call * 1000))).collect();
    found.sort();
    made.sort();
    assert_eq!(found, made);
}

#[test]
fn threads_in_parallel_leave_whole_lines() {
    let project = test_support::folder();
    thread::scope(|scope| {
        for caller in 0..16 {
            let project = project.path();
            scope.spawn(move || make_calls(project, caller));
        }
    });
    assert_all_calls(project.path(), 16);
}

/// Variable for a test that runs as a process of its own: its project, a blank, and its number.
const CALLER: &str = "HOOKKIT_TEST_AUDIT_CALLER";

/// Returns the project and the number of the caller, in a caller's process. `None` in the test itself.
fn as_caller() -> Option<(PathBuf, usize)> {
    let caller = env::var(CALLER).ok()?;
    let (number, project) = caller.split_once(' ').unwrap();
    Some((project.into(), number.parse().unwrap()))
}

/// Starts `program`, which runs this test program with `test` as a caller.
fn caller(program: &mut Command, test: &str, project: &Path, number: usize) -> Child {
    program
        .args(["--exact", test])
        .env(CALLER, format!("{number} {}", project.display()))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn processes_in_parallel_leave_whole_lines() {
    if let Some((project, number)) = as_caller() {
        return make_calls(&project, number);
    }
    let project = test_support::folder();
    let test = "audit::processes_in_parallel_leave_whole_lines";
    let processes: Vec<_> = (0..12)
        .map(|number| {
            let mut program = Command::new(env::current_exe().unwrap());
            caller(&mut program, test, project.path(), number)
        })
        .collect();
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    assert_all_calls(project.path(), 12);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_line() {
    if let Some((project, _)) = as_caller() {
        let failed = |_: &usize| answer(&in_project(BASH, &project)).exit_code == 1;
        let first = (0..100).find(failed);
        assert!(first.is_some_and(|first| first > 0));
        assert!(failed(&0), "and it stays full");
        return;
    }
    let project = test_support::folder();
    // A limit on the size of files substitutes for a full disk: it, too, cuts a write short before it denies the next.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    let mut process = caller(&mut shell, "audit::a_full_disk_leaves_no_half_line", project.path(), 0);
    assert!(process.wait().unwrap().success());
    assert!(!records(project.path()).is_empty());
}
