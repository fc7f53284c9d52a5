//! Text from others that would steer a terminal, or mean something to a shell, does neither.

use hookkit_tests::faults;
use hookkit_tests::hostile::{HOSTILE, has_no_controls};
use hookkit_tests::prelude::*;

/// The same with what JSON alone can say.
fn hostile_json() -> String {
    let text = Value::from(HOSTILE).to_string();
    format!("{}\\u0000\\ud800\\udc00\\udfff\"", text.trim_end_matches('"'))
}

fn payload(event: &str, members: &str) -> String {
    format!(r#"{{"session_id":"1","transcript_path":"/t","cwd":"/","hook_event_name":{event}{members}}}"#)
}

#[test]
fn nothing_that_a_hook_says_on_stderr_steers_a_terminal() -> Result<()> {
    let project = Project::new()?;
    workspace::install("hostile-hooks", &project)?;
    let hostile = hostile_json();
    let bash = |event: &str, command: &str| {
        let call =
            r#","tool_name":"Bash","tool_response":{"stdout":"","stderr":"","interrupted":false,"isImage":false}"#;
        payload(event, &format!(r#"{call},"tool_input":{{"command":{command}}}"#))
    };
    let pre = bash(r#""PreToolUse""#, &hostile);
    let long = Value::from(HOSTILE.repeat(10_000_000 / HOSTILE.len())).to_string();
    let long = bash(r#""PreToolUse""#, &long);
    let a_key = bash(r#""PreToolUse""#, &format!("{{{hostile}:1}}"));
    for (what, hook, text, lines, code) in [
        ("an error", "fails", &pre, 1, 2),
        ("a path in an error", "opens", &pre, 1, 1),
        ("a panic", "panics", &pre, 1, 2),
        ("10 MB of an error", "fails", &long, 1, 2),
        ("10 MB of a panic", "panics", &long, 1, 2),
        // What an author says may have several lines.
        ("a reason", "denies", &pre, 2, 2),
        ("what wakes", "wakes", &bash(r#""PostToolUse""#, &hostile), 2, 2),
        ("the event", "fails", &payload(&hostile, ""), 1, 2),
        ("a key", "fails", &a_key, 1, 2),
        ("raw bytes", "fails", &format!("{{\"a\":\"{HOSTILE}"), 1, 2),
        ("no JSON", "fails", &HOSTILE.to_owned(), 1, 2),
    ] {
        let answer = run_installed(project.path(), hook, text)?;
        let stderr = &answer.stderr;
        let shown = stderr.chars().take(300).collect::<String>();
        ensure!(has_no_controls(stderr), "{what}: {shown:?}");
        let holds = stderr.lines().count() == lines && answer.exit_code == Some(code);
        ensure!(holds, "{what}: {shown:?}");
        if lines == 1 {
            let holds = stderr.starts_with(&format!("hookkit: hook `{hook}` failed: "));
            ensure!(holds, "{what}: {shown:?}");
            let holds = stderr.len() < 50_000 && answer.stdout.len() < 50_000;
            ensure!(holds, "{what}: {} bytes", stderr.len());
        }
        // JSON has escapes of its own. Texts in it are still without control characters when these are read.
        let stdout = answer.stdout.trim_end_matches('\n');
        ensure!(has_no_controls(stdout) || lines > 1, "{what}: {stdout:?}");
        if let (1, Ok(answer)) = (lines, serde_json::from_str::<Value>(stdout)) {
            let reason = answer.pointer("/hookSpecificOutput/permissionDecisionReason");
            let holds = reason.and_then(Value::as_str).is_some_and(has_no_controls);
            ensure!(holds, "{what}: {answer}");
        }
    }
    ensure!(!Path::new("canary").exists(), "a shell has read it");
    Ok(())
}

#[test]
fn a_shell_gets_hostile_text_as_a_value_and_as_no_name() -> Result<()> {
    let project = Project::new()?;
    workspace::install("hostile-hooks", &project)?;
    let file = project.path().join("variables.sh");
    // A variable cannot hold a NUL.
    let text = payload(r#""SessionStart","source":"startup""#, "").replace("\"1\"", &Value::from(HOSTILE).to_string());
    let said = |text: &str| -> Result<String> {
        let mut hook = Command::new(installed(project.path(), "sets")?);
        hook.current_dir(project.path()).env("CLAUDE_ENV_FILE", &file);
        Ok(String::from_utf8(faults::run_piped(hook, text.as_bytes())?.stderr)?)
    };
    let stderr = said(&text)?;
    let holds = stderr.contains("is not a valid variable name") && has_no_controls(&stderr);
    assert!(holds, "{stderr:?}");
    let script = ". \"$1\"; printf %s \"$GIVEN\"";
    let mut shell = Command::new("sh");
    shell.args(["-euc", script, "sh"]).arg(&file).current_dir(project.path());
    assert_eq!(shell.out(0)?, HOSTILE);
    assert!(!project.exists("canary"));

    let text = text.replace(&Value::from(HOSTILE).to_string(), &hostile_json());
    let before = fs::read(&file)?;
    said(&text)?.has("its value contains a NUL byte");
    assert_eq!(fs::read(&file)?, before);
    Ok(())
}
