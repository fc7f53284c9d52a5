//! Text from others that would steer a terminal, or mean something to a shell, does neither.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::workspace::{fixture, install};
use hookkit_tests::xtask::{self, installed, run_hook};
use serde_json::{Value, json};

/// A title, a bell, the cleared screen by both kinds of control characters, NUL, DEL, text that is turned around, line ends.
const HOSTILE: &str = "$(touch canary)`touch canary`';touch canary;'\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{8}\u{202e}txt.exe\u{2028}\r\nhookkit: hook `other` failed";

/// The same with what JSON alone can say.
fn hostile_json() -> String {
    let text = Value::from(HOSTILE).to_string();
    format!("{}\\u0000\\ud800\\udc00\\udfff\"", text.trim_end_matches('"'))
}

/// Whether nothing in it steers a terminal.
fn is_legible(text: &str) -> bool {
    let steers = |char: char| char.is_control() && char != '\n' || "\u{202e}\u{2028}".contains(char);
    !text.contains(steers)
}

fn payload(event: &str, members: &str) -> String {
    format!(r#"{{"session_id":"1","transcript_path":"/t","cwd":"/","hook_event_name":{event}{members}}}"#)
}

/// A project with the hooks, installed.
fn project() -> Result<Project> {
    let project = Project::new()?;
    install("hostile-hooks", &project)?;
    Ok(project)
}

#[test]
fn nothing_that_a_hook_says_on_stderr_steers_a_terminal() -> Result<()> {
    let project = project()?;
    let hostile = hostile_json();
    let bash = |event: &str, command: &str| {
        let call =
            r#","tool_name":"Bash","tool_response":{"stdout":"","stderr":"","interrupted":false,"isImage":false}"#;
        payload(event, &format!(r#"{call},"tool_input":{{"command":{command}}}"#))
    };
    let pre = bash(r#""PreToolUse""#, &hostile);
    let long = Value::from(HOSTILE.repeat(10_000_000 / HOSTILE.len())).to_string();
    let long = bash(r#""PreToolUse""#, &long);
    for (what, hook, text, lines, code) in [
        ("an error", "fails", &pre, 1, 2),
        ("a path in an error", "opens", &pre, 1, 1),
        ("a panic", "panics", &pre, 1, 2),
        ("10 MB of an error", "fails", &long, 1, 2),
        ("10 MB of a panic", "panics", &long, 1, 2),
        // What an author says may have several lines.
        ("a reason", "refuses", &pre, 2, 2),
        ("what wakes", "wakes", &bash(r#""PostToolUse""#, &hostile), 2, 2),
        ("the event", "fails", &payload(&hostile, ""), 1, 2),
        (
            "a key",
            "fails",
            &bash(r#""PreToolUse""#, &format!("{{{hostile}:1}}")),
            1,
            2,
        ),
        ("raw bytes", "fails", &format!("{{\"a\":\"{HOSTILE}"), 1, 2),
        ("no JSON", "fails", &HOSTILE.to_owned(), 1, 2),
    ] {
        let answer = run_hook(&installed(project.path(), hook)?, text.as_bytes())?;
        let stderr = &answer.stderr;
        let shown = stderr.chars().take(300).collect::<String>();
        ensure!(is_legible(stderr), "{what}: {shown:?}");
        ensure!(
            stderr.lines().count() == lines && answer.exit_code == Some(code),
            "{what}: {shown:?}"
        );
        if lines == 1 {
            ensure!(
                stderr.starts_with(&format!("hookkit: hook `{hook}` failed: ")),
                "{what}: {shown:?}"
            );
            ensure!(
                stderr.len() < 50_000 && answer.stdout.len() < 50_000,
                "{what}: {} bytes",
                stderr.len()
            );
        }
        // JSON has escapes of its own. What hookkit says in it is legible when they are read, too.
        let stdout = answer.stdout.trim_end_matches('\n');
        ensure!(is_legible(stdout) || lines > 1, "{what}: {stdout:?}");
        if let (1, Ok(answer)) = (lines, serde_json::from_str::<Value>(stdout)) {
            let reason = answer.pointer("/hookSpecificOutput/permissionDecisionReason");
            ensure!(
                reason.and_then(Value::as_str).is_some_and(is_legible),
                "{what}: {answer}"
            );
        }
    }
    ensure!(!Path::new("canary").exists(), "a shell has read it");
    Ok(())
}

#[test]
fn a_shell_gets_hostile_text_as_a_value_and_as_no_name() -> Result<()> {
    let project = project()?;
    let file = project.path().join("variables.sh");
    // A variable cannot hold a NUL.
    let text = payload(r#""SessionStart","source":"startup""#, "").replace("\"1\"", &Value::from(HOSTILE).to_string());
    let mut hook = Command::new(installed(project.path(), "sets")?);
    hook.current_dir(project.path())
        .env("CLAUDE_ENV_FILE", &file)
        .stdin(Stdio::from(input(&project, &text)?));
    let output = hook.output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(
        stderr.contains("is no name for a variable") && is_legible(&stderr),
        "{stderr:?}"
    );
    let script = ". \"$1\"; printf %s \"$GIVEN\"";
    let mut shell = Command::new("sh");
    shell
        .args(["-euc", script, "sh"])
        .arg(&file)
        .current_dir(project.path());
    assert_eq!(String::from_utf8(shell.output()?.stdout)?, HOSTILE);
    assert!(!project.exists("canary"));

    let text = text.replace(&Value::from(HOSTILE).to_string(), &hostile_json());
    let before = fs::read(&file)?;
    let mut hook = Command::new(installed(project.path(), "sets")?);
    hook.env("CLAUDE_ENV_FILE", &file)
        .stdin(Stdio::from(input(&project, &text)?));
    let output = hook.output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(stderr.contains("its value holds a NUL byte"), "{stderr}");
    assert_eq!(fs::read(&file)?, before);
    Ok(())
}

fn input(project: &Project, text: &str) -> Result<fs::File> {
    project.write("stdin", text)?;
    Ok(fs::File::open(project.path().join("stdin"))?)
}

/// Runs xtask on a project, with an empty home. Only what is about a workspace's own hooks runs in the workspace: that
/// builds them.
fn say(project: &Project, arguments: &[&str]) -> Result<Output> {
    let home = project.path().join("home");
    fs::create_dir_all(&home)?;
    let folder = match arguments {
        ["list"] | ["install" | "uninstall", ..] => fixture()?,
        _ => &home,
    };
    let mut command = xtask::command(folder, arguments)?;
    command
        .arg("--project")
        .arg(project.path())
        .env("CLAUDE_CONFIG_DIR", &home);
    Ok(command.output()?)
}

#[test]
fn settings_of_others_steer_no_terminal_and_make_no_lines() -> Result<()> {
    let with_nul = format!("{HOSTILE}\0");
    let handler = json!({
        "type": "command", "command": with_nul, "args": [HOSTILE], "if": HOSTILE, "timeout": 30_000,
        "statusMessage": HOSTILE, HOSTILE: 1,
    });
    let hostile = json!({
        "hooks": {
            "PreToolUse": [
                {"matcher": HOSTILE, "hooks": [handler]},
                {"matcher": "bash", "hooks": [
                    {"type": "command", "command": format!("/no/{HOSTILE} ${HOSTILE}"), "timeout": 99_999},
                    {"type": "prompt", "prompt": HOSTILE},
                ]},
            ],
            HOSTILE: [{"hooks": [{"type": "command", "command": "x"}]}],
        },
        "enabledPlugins": {HOSTILE: true, format!("a@{HOSTILE}"): true},
        HOSTILE: 3,
    });
    let mut dropped = hostile.clone();
    dropped["hooks"]["PreToolUse"][0]["hooks"][0]["type"] = HOSTILE.into();
    dropped["allowManagedHooksOnly"] = HOSTILE.into();
    let texts = [
        hostile.to_string(),
        dropped.to_string(),
        format!("{{\"hooks\": {{\"{HOSTILE}\": [}}"),
        format!("{{\"hooks\": {HOSTILE}"),
    ];
    for text in &texts {
        let project = Project::new()?;
        project.write(".claude/settings.json", text)?;
        for arguments in [
            &["list"][..],
            &["list", "--json"],
            &["list", "--for", "PreToolUse:Bash"],
            &["list", "--for", HOSTILE],
            &["doctor"],
            &["doctor", "--json"],
            &["doctor", "--fix"],
            &["install", "--hook", HOSTILE],
            &["install", "--pack", "hostile-hooks"],
            &["uninstall"],
        ] {
            let output = say(&project, arguments)?;
            for said in [output.stdout, output.stderr] {
                let said = String::from_utf8(said)?;
                ensure!(is_legible(&said), "{arguments:?} {text}: {said:?}");
                let is_forged = said.lines().any(|line| line.starts_with("hookkit: hook `other`"));
                ensure!(
                    !is_forged || arguments.contains(&HOSTILE),
                    "{arguments:?} {text}: {said}"
                );
                if arguments.contains(&"--json") {
                    for line in said.lines().filter(|line| line.starts_with('{')) {
                        let _: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
                    }
                }
            }
        }
        ensure!(!project.exists("canary"), "a shell has read it");
    }
    Ok(())
}

#[test]
fn what_doctor_tells_to_run_is_safe_in_a_shell() -> Result<()> {
    let project = Project::new()?;
    let script = project.path().join("a;touch canary;.sh");
    fs::write(&script, "#!/bin/sh\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644))?;
    let handler = json!({"type": "command", "command": script, "args": []});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}});
    project.write(".claude/settings.json", settings.to_string())?;
    let said = String::from_utf8(say(&project, &["doctor"])?.stdout)?;
    let line = said
        .split_once("run `")
        .and_then(|(_, rest)| rest.split_once('`'))
        .context(said.clone())?
        .0;
    let done = Command::new("sh")
        .args(["-euc", line])
        .current_dir(project.path())
        .status()?;
    assert!(done.success() && !project.exists("canary"), "{line}");
    assert_eq!(fs::metadata(&script)?.permissions().mode() & 0o111, 0o111);
    Ok(())
}
