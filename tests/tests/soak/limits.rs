//! The memory of a hook with any payload, and the outcome of payloads beyond the limit.

use std::io::Write;
use std::os::unix::process::CommandExt;

use hookkit::protocol::event::event;
use hookkit::testing::{Action, Ran, Verdict};
use hookkit_tests::prelude::*;

fn binary(hook: &str) -> Result<PathBuf> {
    installed(workspace::installed("limits-hooks")?.path(), hook)
}

/// Returns the hook's peak memory so far, in bytes.
///
/// The value from `wait` would include the memory of the parent before `exec`.
fn peak(process: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or(0, kilobytes)
}

/// Parses a size in the kernel's form, `123 kB`, and returns the bytes.
fn kilobytes(text: &str) -> usize {
    let number = text.trim().trim_end_matches("kB").trim();
    number.parse().map_or(0, |number: usize| number << 10)
}

/// Runs a hook on `start`, then at least `size` bytes of repeated `piece`, then `end`. Returns its output, and its peak
/// memory.
fn run(hook: &str, start: &str, piece: &str, size: usize, end: &str) -> Result<(Output, usize)> {
    let mut child = Command::new(binary(hook)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let mut stdin = child.stdin.take().context("a pipe")?;
    let pieces = piece.repeat((64 << 10) / piece.len());
    let (mut given, mut most) = (0, 0);
    let mut is_taken = stdin.write_all(start.as_bytes()).is_ok();
    while is_taken && given < size {
        is_taken = stdin.write_all(pieces.as_bytes()).is_ok();
        given += pieces.len();
        most = most.max(peak(child.id()));
    }
    let _ = stdin.write_all(end.as_bytes());
    drop(stdin);
    Ok((child.wait_with_output()?, most))
}

const MB: usize = 1_000_000;

/// The memory of a process without its payload: its program, buffers and stack.
const FLOOR: usize = 3 * MB;

const WRITE: &str = r#"{"session_id":"1","transcript_path":"/t","cwd":"/","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/a.rs","content":"c"},"tool_response":"#;
const BASH: &str = r#"{"session_id":"1","transcript_path":"/t","cwd":"/","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":"#;
const CALL: &str = r#"{"session_id":"1","transcript_path":"/t","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"#;
const PRINTED: &str = r#"{"interrupted":false,"isImage":false,"stderr":"","stdout":""#;

/// Large payloads: the hook, the start of the payload, the start of its large value, the repeated piece, and the end.
const LARGE: &[(&str, &str, &str, &str, &str)] = &[
    ("path", WRITE, r#"{"content":""#, "a line of text\\n", r#""}}"#),
    ("path", WRITE, r#"{"a":1"#, r#","a":{"b":[1]}"#, "}}"),
    ("call", WRITE, r#"{"content":""#, "a line of text\\n", r#""}}"#),
    ("call", WRITE, "[0", ",[1,2]", "]}"),
    ("output", BASH, PRINTED, "a line of text ", r#""}}"#),
    ("output", BASH, PRINTED, "\\n", r#""}}"#),
    ("output", BASH, PRINTED, "\\ud83e\\udd80\\ud800", r#""}}"#),
    ("all", WRITE, r#"{"content":""#, "a line of text\\n", r#""}}"#),
];

#[test]
fn a_hook_takes_little_more_than_twice_the_size_of_its_requested_fields() -> Result<()> {
    for (hook, start, inner, piece, end) in LARGE {
        let mut peaks = Vec::new();
        for size in [MB, 10 * MB, 100 * MB] {
            let (output, _) = run(hook, &format!("{start}{inner}"), piece, size, end)?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.code() == Some(0), "{hook}, {piece}, {size}: {stderr}");
            let answer: Value = serde_json::from_slice(&output.stdout)?;
            let text = answer["hookSpecificOutput"]["additionalContext"].as_str().context("a text")?;
            let peak = text.split_once(" bytes, ").and_then(|(_, peak)| peak.strip_suffix(" at most"));
            let peak = kilobytes(peak.context("a peak")?);
            let requested = if *hook == "path" { 0 } else { size };
            let holds = peak > 0 && peak < FLOOR + 2 * requested + requested / 50;
            ensure!(holds, "{hook}, {piece}, {size}: {peak}");
            peaks.push(format!("{} KB", peak >> 10));
        }
        eprintln!("{hook}, 1, 10 and 100 MB of `{piece}`: {}", peaks.join(", "));
    }
    Ok(())
}

/// A size beyond the limit of a hook's memory.
const TOO_MUCH: usize = 1000 * MB;

#[test]
fn payloads_beyond_the_limit_fail_and_take_no_more_memory() -> Result<()> {
    const MANY_MIB: &str = "the part that the hook reads is larger than 128 MiB";
    const MANY_MEMBERS: &str = "it has more than 1048576 members";
    for (what, start, piece, reason) in [
        ("a string", format!(r#"{CALL}{{"command":""#), "0123456789abcdef", MANY_MIB),
        ("escapes", format!(r#"{CALL}{{"command":""#), "\\u00e9\\n", MANY_MIB),
        ("a number", format!(r#"{CALL}{{"command":1"#), "0", MANY_MIB),
        ("a list", format!(r#"{CALL}{{"command":[1"#), ",1", MANY_MIB),
        ("a key", format!(r#"{CALL}{{""#), "0123456789abcdef", MANY_MIB),
        ("blanks", CALL.to_owned(), " \n\t", MANY_MIB),
        ("blanks alone", String::new(), "    ", "stdin is empty; the client sends one JSON object"),
        ("members of the input", format!(r#"{CALL}{{"command":"ls""#), r#","a":1"#, MANY_MEMBERS),
        ("members", format!("{CALL}{{}}"), r#","a":1"#, MANY_MEMBERS),
        ("members of objects", format!("{CALL}{{}}"), r#","a":{"b":1,"c":{}}"#, MANY_MEMBERS),
    ] {
        let (output, peak) = run("bounded-guard", &start, piece, TOO_MUCH, "")?;
        let stderr = String::from_utf8(output.stderr)?;
        let line_end = format!("{reason}\n");
        let holds = output.status.code() == Some(2) && stderr.ends_with(&line_end);
        ensure!(holds, "{what}: {stderr}");
        let event = event("PreToolUse").context("no such event")?;
        let verdict = Verdict::of(event, &Ran::exit(2).stdout(output.stdout).stderr(stderr));
        ensure!(verdict.action == Action::Denied, "{what}: {verdict}");
        eprintln!("{what}: {} KB", peak >> 10);
        ensure!(peak < FLOOR + (192 << 20), "{what}: {peak}");
    }
    Ok(())
}

#[test]
fn fields_that_are_not_requested_have_no_limit_and_take_no_memory() -> Result<()> {
    let start = format!(r#"{CALL}{{"command":"ls","more":""#);
    let (output, peak) = run("bounded-guard", &start, "0123456789abcdef", TOO_MUCH, "\"}}")?;
    let stdout = String::from_utf8(output.stdout)?;
    assert!(stdout.contains("2 bytes"), "{stdout}");
    assert!(peak < FLOOR, "{peak}");
    Ok(())
}

#[test]
fn members_within_members_are_counted_where_they_are_decoded() -> Result<()> {
    let inner = r#"[{"a":1"#;
    let (output, _) = run("nested", &format!("{BASH}{inner}"), r#","a":1"#, 30 * MB, "}]}")?;
    let stderr = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("it has more than 1048576 members"), "{stderr}");
    Ok(())
}

#[test]
fn a_hundred_thousand_levels_are_an_error_in_every_field() -> Result<()> {
    // In requested fields, in other fields, and in the payload itself; closed and left open.
    for (what, start, end) in [
        ("the input", format!(r#"{CALL}{{"command":"#), "}}"),
        ("a field that is not requested", format!(r#"{CALL}{{"command":"ls","x":"#), "}}"),
        ("a member of the payload", r#"{"x":"#.to_owned(), "}"),
        ("all", String::new(), ""),
    ] {
        for levels in [200, 100_000] {
            for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
                for is_closed in [true, false] {
                    let closed = format!("0{}{end}", close.repeat(levels));
                    let text = format!("{start}{}", open.repeat(levels));
                    let (output, _) = run("bounded-guard", &text, " ", 0, if is_closed { &closed } else { "" })?;
                    let stderr = String::from_utf8(output.stderr)?;
                    let is_reported = stderr.contains("nests deeper than 127 levels") || what == "all";
                    let holds = output.status.code() == Some(2) && is_reported && stderr.lines().count() == 1;
                    ensure!(holds, "{what}, {levels} of {open}: {stderr}");
                }
            }
        }
    }
    Ok(())
}
