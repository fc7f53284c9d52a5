//! Hostile settings cannot control a terminal or a shell when xtask reports them.

use hookkit_tests::hostile::{HOSTILE, has_no_controls};
use hookkit_tests::prelude::*;

/// Runs xtask on a project, with an empty configuration folder. Only commands for a workspace's own hooks run in the
/// workspace, since that builds the hooks.
fn run(project: &Project, arguments: &[&str]) -> Result<Output> {
    let home = project.path().join("home");
    fs::create_dir_all(&home)?;
    let folder = match arguments {
        ["list"] | ["install" | "uninstall", ..] => fixture()?,
        _ => &home,
    };
    let mut command = command(folder, arguments)?;
    command.arg("--project").arg(project.path());
    Ok(command.env("CLAUDE_CONFIG_DIR", &home).output()?)
}

#[test]
fn hostile_settings_print_no_escapes_and_no_forged_lines() -> Result<()> {
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
            let output = run(&project, arguments)?;
            for printed in [output.stdout, output.stderr] {
                let printed = String::from_utf8(printed)?;
                ensure!(has_no_controls(&printed), "{arguments:?} {text}: {printed:?}");
                let is_forged = printed.lines().any(|line| line.starts_with("hookkit: hook `other`"));
                let holds = !is_forged || arguments.contains(&HOSTILE);
                ensure!(holds, "{arguments:?} {text}: {printed}");
                if arguments.contains(&"--json") {
                    for line in printed.lines().filter(|line| line.starts_with('{')) {
                        let _: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
                    }
                }
            }
        }
        ensure!(!project.exists("canary"), "a shell has run it");
    }
    Ok(())
}

#[test]
fn commands_in_fixes_are_quoted_for_the_shell() -> Result<()> {
    let project = Project::new()?;
    let script = project.path().join("a;touch canary;.sh");
    project.write("a;touch canary;.sh", "#!/bin/sh\n")?;
    let handler = json!({"type": "command", "command": script, "args": []});
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}});
    project.write(".claude/settings.json", settings.to_string())?;
    let printed = String::from_utf8(run(&project, &["doctor"])?.stdout)?;
    let (_, line) = printed.split_once("run `").context(printed.clone())?;
    let line = line.split('`').next().unwrap_or_default();
    Command::new("sh").args(["-euc", line]).current_dir(project.path()).out(0)?;
    assert!(!project.exists("canary"), "{line}");
    assert_eq!(fs::metadata(&script)?.permissions().mode() & 0o111, 0o111);
    Ok(())
}
