//! Shell commands in the texts of skills, in the real client.

use hookkit_tests::prelude::*;

/// Returns a command that logs its payload.
fn log(name: &str) -> String {
    format!("cat >>\"$CLAUDE_PROJECT_DIR/{name}.log\"")
}

/// Returns the payloads in a log.
fn logged(project: &Project, name: &str) -> Result<Vec<Value>> {
    rows(&project.read(&format!("{name}.log")).unwrap_or_default())
}

fn commands(payloads: &[Value]) -> Vec<&str> {
    let commands = payloads.iter().filter_map(|payload| payload["tool_input"]["command"].as_str());
    let mut commands: Vec<&str> = commands.collect();
    commands.sort_unstable();
    commands
}

/// Returns a project with a slash command and a skill that run shell commands, and these hooks.
fn project(hooks: &Value) -> Result<Project> {
    let project = Project::new()?;
    project.write(".claude/settings.json", json!({ "hooks": hooks }).to_string())?;
    let report =
        "---\nallowed-tools: Bash(echo:*)\n---\nOne: !`echo one $ARGUMENTS`\n\n```!\necho two\necho three\n```\n";
    project.write(".claude/commands/report.md", report)?;
    project.write(".claude/commands/touch.md", "Four: !`touch four.txt`\n")?;
    let content = "---\nname: look\ndescription: Looks.\nallowed-tools: Bash(echo:*)\n---\nFive: !`echo five`\n";
    project.write(".claude/skills/look/SKILL.md", content)?;
    Ok(project)
}

#[test]
fn the_commands_of_skills_raise_an_event_of_their_own() -> Result<()> {
    let client = client!("the_commands_of_skills_raise_an_event_of_their_own");
    let entry = |name: &str| json!([{"hooks": [{"type": "command", "command": log(name)}]}]);
    let own = |name: &str, matcher: &str, condition: Option<&str>| {
        let mut handler = json!({"type": "command", "command": log(name)});
        if let Some(condition) = condition {
            handler["if"] = condition.into();
        }
        json!({"matcher": matcher, "hooks": [handler]})
    };
    let project = project(&json!({
        "PreToolUse": entry("calls"),
        "PermissionRequest": entry("requests"),
        "PreSkillShellCommand": [
            own("all", "", None),
            own("bash", "Bash", None),
            own("write", "Write", None),
            own("one", "", Some("Bash(echo one *)")),
            own("ls", "", Some("Bash(ls *)")),
        ],
    }))?;
    let outcome = Session::new(&client, project.path())
        .allow(&["Skill"])
        .reply("One", [Turn::text("Done.")])
        .reply("go", [Turn::call("Skill", json!({"skill": "look"})), Turn::text("Done.")])
        .then("/touch")
        .then("go")
        .run("/report x y")?;

    let all = logged(&project, "all")?;
    let three = ["echo five", "echo one x y", "echo two\necho three"];
    assert_eq!(commands(&all), three, "{}", outcome.stderr());
    assert_eq!(commands(&logged(&project, "bash")?), three);
    assert_eq!(commands(&logged(&project, "one")?), ["echo one x y"]);
    assert_eq!(logged(&project, "write")?, [Value::Null; 0]);
    assert_eq!(logged(&project, "ls")?, [Value::Null; 0]);
    let of = |command: &str| {
        let mut of_command = all.iter().filter(|payload| payload["tool_input"]["command"] == command);
        let payload = of_command.next().cloned().unwrap_or_default();
        ["command_name", "command_source", "invoked_by"].map(|member| payload[member].clone())
    };
    assert_eq!(of("echo one x y"), ["report", "projectSettings", "user"]);
    assert_eq!(of("echo five"), ["look", "projectSettings", "claude"]);

    // The permissions are checked before, and the event is not raised for what they do not allow.
    assert!(!project.exists("four.txt"));
    // No other hook sees the commands.
    let calls = logged(&project, "calls")?;
    let found = calls.iter().map(|call| &call["tool_name"]).collect::<Vec<_>>();
    assert_eq!(found, ["Skill"]);
    assert_eq!(logged(&project, "requests")?, [Value::Null; 0]);
    Ok(())
}

#[test]
fn a_hook_that_asks_a_model_keeps_every_command_of_a_skill_from_running() -> Result<()> {
    let client = client!("a_hook_that_asks_a_model_keeps_every_command_of_a_skill_from_running");
    for kind in ["prompt", "agent"] {
        let project = project(&json!({"PreSkillShellCommand": [{"hooks": [{"type": kind, "prompt": "ok?"}]}]}))?;
        let outcome = Session::new(&client, project.path()).turn(Turn::text("Done.")).run("/report x y")?;
        let note = "[not run: blocked by hook: prompt and agent hooks don't run on PreSkillShellCommand]";
        assert_eq!(outcome.model_read().matches(note).count(), 2, "{kind}: {}", outcome.stderr());
    }
    Ok(())
}

#[test]
fn an_unknown_handler_on_a_skill_s_commands_drops_the_settings_file() -> Result<()> {
    let client = client!("an_unknown_handler_on_a_skill_s_commands_drops_the_settings_file");
    for (event, is_dropped) in [("PreSkillShellCommand", true), ("PostToolUse", false)] {
        let project = project(&json!({
            "SessionStart": [{"hooks": [{"type": "command", "command": log("started")}]}],
            (event): [{"hooks": [{"type": "wasm", "command": "x"}]}],
        }))?;
        Session::new(&client, project.path()).go()?;
        assert_eq!(logged(&project, "started")?.is_empty(), is_dropped, "{event}");
    }
    Ok(())
}
