//! The hooks of a session, by the place where it starts.

use hookkit_tests::prelude::*;

/// Each copy of the hook has another `onFailure`, so that a failure shows which one the client uses.
#[test]
fn the_local_settings_of_the_repository_are_the_strongest_of_the_project() -> Result<()> {
    let client = client!("the_local_settings_of_the_repository_are_the_strongest_of_the_project");
    let (world, user) = (World::new()?, test_support::folder());
    let handler = |on_failure: &str| json!({"type": "command", "command": "exit 1", "onFailure": on_failure});
    let settings = |on_failure: &str, are_off: bool| {
        let groups = json!([{"matcher": "Bash", "hooks": [handler(on_failure)]}]);
        json!({"disableAllHooks": are_off, "hooks": {"PreToolUse": groups}}).to_string()
    };
    let outer: &Project = &world.project;
    for file in ["settings.json", "settings.local.json"] {
        outer.write(&format!("app/.claude/{file}"), settings("continue", true))?;
    }
    outer.write(".claude/settings.local.json", settings("block", false))?;
    let folder = outer.path().join("app");
    let arguments = ["list", "--json", "--for", "PreToolUse:Bash"];
    let mut list = world.command(world.outside.path(), &folder, &arguments)?;
    let rows = rows(&list.out(0)?)?;
    let runs: Vec<&Value> = rows.iter().filter(|row| row["runs"] == true).collect();
    assert_eq!((rows.len(), runs.len()), (3, 1));
    assert_eq!(runs[0]["hook"]["onFailure"], "block");
    let outcome = Session::new(&client, &folder)
        .within(outer.path())
        .config_dir(user.path())
        .allow(&["Bash"])
        .turn(Turn::bash("true"))
        .go()?;
    let read = outcome.tool_results();
    assert!(read[0].contains("onFailure is \"block\""), "{read:?}");
    Ok(())
}

#[test]
fn a_script_of_the_projects_folder_fails_in_a_session_elsewhere_as_doctor_says() -> Result<()> {
    let client = client!("a_script_of_the_projects_folder_fails_in_a_session_elsewhere_as_doctor_says");
    let world = World::new()?;
    let project: &Project = &world.project;
    project.write("app/package.json", "{}")?;
    files::program(project.path().join("deny.sh"), "#!/bin/sh\necho not here >&2\nexit 2\n")?;
    let session = |command: &str| -> Result<(bool, Vec<String>)> {
        let groups = json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}]);
        let content = json!({"hooks": {"PreToolUse": groups}}).to_string();
        project.write(".claude/settings.local.json", content)?;
        let outcome = Session::new(&client, &project.path().join("app"))
            .within(project.path())
            .config_dir(test_support::folder().path())
            .allow(&["Bash"])
            .turn(Turn::bash("touch ran"))
            .go()?;
        let has_run = project.exists("app/ran");
        let holds = has_run != outcome.tool_results()[0].contains("not here");
        ensure!(holds, "{:?}", outcome.tool_results());
        let _ = fs::remove_file(project.path().join("app/ran"));
        let said = world.ask(&[])?;
        let codes = said.rows.iter().filter(|row| row["kind"] == "finding");
        Ok((has_run, codes.filter_map(|row| Some(row["code"].as_str()?.to_owned())).collect()))
    };
    let relative = session("\"$CLAUDE_PROJECT_DIR\"/deny.sh")?;
    assert_eq!(relative, (true, vec!["project-dir-differs".to_owned()]));
    let absolute = session(&format!("{}/deny.sh", project.path().display()))?;
    assert_eq!(absolute, (false, Vec::new()));
    Ok(())
}
