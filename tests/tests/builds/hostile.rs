//! Settings of others that would steer a terminal, or mean something to a shell, do neither when xtask reports them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use hookkit_tests::hostile::{HOSTILE, is_legible};
use hookkit_tests::workspace::fixture;
use hookkit_tests::{Project, xtask};
use serde_json::{Value, json};

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
