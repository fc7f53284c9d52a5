//! Hooks that a person turns off for a while, on a real terminal.

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use hookkit_tests::keyboard::{self, Typed};
use hookkit_tests::xtask::{command, repository, text, xtask, xtask_ok};
use hookkit_tests::{Project, skip};
use serde_json::{Value, json};

const BIN: &str = ".claude/hookkit/hookkit/bin/deny-destruction";

const DENIED: &str = "git push --force origin main";

/// Returns a project with `deny-destruction`.
fn project() -> Result<Project> {
    let project = Project::new()?;
    let path = text(project.path())?;
    xtask_ok(
        repository(),
        &["install", "--project", path, "--hook", "deny-destruction"],
    )?;
    Ok(project)
}

fn type_code(project: &Project, arguments: &[&str]) -> Result<Typed> {
    keyboard::run(project.path(), arguments, str::to_owned)
}

/// Returns the exit code and the output of the hook on a command.
fn ask(project: &Project, line: &str) -> Result<(Option<i32>, String)> {
    let mut hook = std::process::Command::new(project.path().join(BIN));
    let hook = hook
        .env("CLAUDE_PROJECT_DIR", project.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = hook.spawn()?;
    let payload = format!(
        r#"{{"session_id":"x","transcript_path":"/t","cwd":{cwd},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{input},"tool_use_id":"t"}}"#,
        cwd = json!(project.path()),
        input = json!({"command": line}),
    );
    std::io::Write::write_all(&mut child.stdin.take().context("a pipe")?, payload.as_bytes())?;
    let output = child.wait_with_output()?;
    Ok((output.status.code(), String::from_utf8(output.stdout)?))
}

fn row(project: &Project, arguments: &[&str], kind: &str) -> Result<Value> {
    let mut all = arguments.to_vec();
    all.extend(["--json", "--project", text(project.path())?]);
    let output = xtask(repository(), &all)?;
    let rows = String::from_utf8(output.stdout)?;
    let rows = rows.lines().map(serde_json::from_str::<Value>);
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let is_this =
        |row: &&Value| row["kind"] == kind && (row["name"] == "deny-destruction" || row["code"] == "hook-off");
    Ok(rows.iter().find(is_this).cloned().unwrap_or_default())
}

#[test]
fn a_person_turns_a_hook_off_and_every_command_names_it() -> Result<()> {
    if !keyboard::is_there("a_person_turns_a_hook_off_and_every_command_names_it") {
        return Ok(());
    }
    let project = project()?;
    let path = text(project.path())?;
    let before = fs::read(project.path().join(BIN))?;
    let wrong = keyboard::run(project.path(), &["off", "deny-destruction"], |_| "yes".to_owned())?;
    ensure!(
        wrong.code == Some(2) && wrong.text.contains("that is not the code"),
        "{}",
        wrong.text
    );
    assert_eq!(fs::read(project.path().join(BIN))?, before);
    assert!(ask(&project, DENIED)?.1.contains("\"permissionDecision\":\"deny\""));
    let explained = xtask(project.path(), &["explain", DENIED])?;
    let explained = String::from_utf8(explained.stdout)?;
    assert!(
        explained.contains(&format!("cargo xtask allow-once '{DENIED}'")),
        "{explained}"
    );

    let asked = xtask(project.path(), &["explain", "terraform destroy"])?;
    let asked = String::from_utf8(asked.stdout)?;
    assert!(
        asked.contains("deny-destruction.config]: allow = [\"terraform destroy\"]"),
        "{asked}"
    );

    let off = type_code(&project, &["off", "deny-destruction", "--for", "5m"])?;
    ensure!(off.code == Some(0), "{}", off.text);
    assert!(
        off.text.contains("`deny-destruction` will be off for 5 minutes"),
        "{}",
        off.text
    );
    let (code, answer) = ask(&project, DENIED)?;
    assert_eq!(code, Some(0));
    assert!(
        answer.starts_with("{\"systemMessage\":\"deny-destruction is off for 5 more min"),
        "{answer}"
    );

    let note = row(&project, &["doctor"], "note")?;
    assert_eq!(note["code"], "hook-off", "{note}");
    let doctor = xtask(repository(), &["doctor", "--project", path])?;
    let doctor = String::from_utf8(doctor.stdout)?;
    assert!(
        doctor.contains("is off for") && !doctor.contains("has changed since"),
        "{doctor}"
    );
    let listed = row(&project, &["list"], "own")?;
    assert_eq!(listed["places"][0]["off"]["command"], Value::Null);
    assert!(listed["places"][0]["off"]["until"].is_string(), "{listed}");
    assert!(row(&project, &["list", "--for", "PreToolUse:Bash"], "own")?["off"].is_object());
    let explained = xtask(repository(), &["explain", DENIED, "--project", path])?;
    let text = String::from_utf8(explained.stdout)?;
    assert!(
        explained.status.success() && text.contains("deny-destruction: off for"),
        "{text}"
    );
    let check = xtask(repository(), &["install", "--check", "--project", path])?;
    assert!(String::from_utf8(check.stdout)?.contains("deny-destruction: it is off for a while"));

    assert!(xtask_ok(project.path(), &["on", "deny-destruction"])?.contains("is on again"));
    assert_eq!(fs::read(project.path().join(BIN))?, before);
    assert_eq!(
        fs::read_dir(project.path().join(BIN).parent().context("a folder")?)?.count(),
        1
    );
    assert!(xtask_ok(project.path(), &["on", "deny-destruction"])?.contains("was on"));
    assert_eq!(row(&project, &["doctor"], "note")?, Value::Null);
    Ok(())
}

#[test]
fn a_command_is_let_through_once() -> Result<()> {
    if !keyboard::is_there("a_command_is_let_through_once") {
        return Ok(());
    }
    let project = project()?;
    let before = fs::read(project.path().join(BIN))?;
    let allowed = type_code(&project, &["allow-once", DENIED])?;
    ensure!(allowed.code == Some(0), "{}", allowed.text);
    assert!(
        allowed.text.contains("deny-destruction denies it: `git push --force"),
        "{}",
        allowed.text
    );
    assert!(ask(&project, &format!("{DENIED} x"))?.1.contains("\"deny\""));
    let (code, answer) = ask(&project, DENIED)?;
    assert_eq!(code, Some(0));
    assert!(answer.contains("let this command through once"), "{answer}");
    assert_eq!(fs::read(project.path().join(BIN))?, before);
    assert!(ask(&project, DENIED)?.1.contains("\"deny\""));
    // `install` ends it, too, and `uninstall` leaves nothing.
    type_code(&project, &["allow-once", DENIED])?;
    let path = text(project.path())?;
    xtask_ok(
        repository(),
        &["install", "--project", path, "--hook", "deny-destruction"],
    )?;
    assert_eq!(fs::read(project.path().join(BIN))?, before);
    type_code(&project, &["off", "deny-destruction"])?;
    xtask_ok(repository(), &["uninstall", "--project", path])?;
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn without_a_person_nothing_is_turned_off() -> Result<()> {
    let project = project()?;
    let before = fs::read(project.path().join(BIN))?;
    let refused = |arguments: &[&str], variable: Option<&str>| -> Result<String> {
        let mut command = command(project.path(), arguments)?;
        command.env_remove("CLAUDECODE").env_remove("CLAUDE_CODE_ENTRYPOINT");
        let output = command
            .envs(variable.map(|name| (name, "1")))
            .stdin(Stdio::null())
            .output()?;
        ensure!(output.status.code() == Some(2), "{arguments:?}: {output:?}");
        Ok(String::from_utf8(output.stderr)?)
    };
    for arguments in [&["off", "deny-destruction"][..], &["allow-once", DENIED]] {
        let message = refused(arguments, Some("CLAUDECODE"))?;
        assert!(
            message.contains("CLAUDECODE is set, as in a command that Claude Code runs"),
            "{message}"
        );
        if std::env::var_os("CLAUDECODE").is_none() {
            let message = refused(arguments, None)?;
            assert!(message.contains("stdin and stderr are not a terminal"), "{message}");
        } else {
            skip(
                "without_a_person_nothing_is_turned_off", "this is a session of Claude Code",
            );
        }
    }
    let unknown = refused(&["off", "deny-everything"], None)?;
    assert!(
        unknown.contains("has not installed a hook `deny-everything`"),
        "{unknown}"
    );
    assert!(unknown.contains("it has installed `deny-destruction`"), "{unknown}");
    let harmless = xtask_ok(project.path(), &["allow-once", "ls"])?;
    assert!(
        harmless.contains("No hook of hookkit's stops this command"),
        "{harmless}"
    );
    assert_eq!(fs::read(project.path().join(BIN))?, before);
    Ok(())
}
