//! Hooks that go by what a project has (its packages, commands, environment files and rules), in the real client.

use hookkit_tests::prelude::*;

use crate::hooks::install;

/// Puts programs in a folder that print their name and their arguments.
fn programs(names: &[&str]) -> Result<Project> {
    let tools = Project::new()?;
    for name in names {
        files::program(tools.path().join(name), format!("#!/bin/sh\necho \"{name} ran: $*\"\n"))?;
    }
    Ok(tools)
}

#[test]
fn a_package_that_is_new_to_the_project_is_asked_about() -> Result<()> {
    let client = client!("a_package_that_is_new_to_the_project_is_asked_about");
    let (project, tools) = (Project::new()?, programs(&["npm"])?);
    install(&project, &["check-packages"])?;
    project.write("package.json", r#"{"dependencies": {"lodash": "^4"}}"#)?;
    project.write("app/yarn.lock", b"\xff")?;
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .path_first(tools.path())
        .turn(Turn::bash("npm install && npm install lodash@latest"))
        .turn(Turn::bash("npm install lodahs"))
        .turn(Turn::bash("for p in left-pad; do npm i \"$p\" --ignore-scripts; done"))
        .turn(Turn::bash("npm install lodash && cd app && true"))
        .go()?;
    let results = outcome.tool_results();
    results[0].has("npm ran: install lodash@latest");
    results[1].has(
        "packages that the project does not have: `lodahs`, one letter from `lodash`. Without `--ignore-scripts`,",
    );
    results[2].has("that the project does not have: `left-pad`. Check that");
    results[3].has("app/yarn.lock` cannot be read");
    for denied in &results[1..] {
        denied.lacks("npm ran");
    }
    Ok(())
}

#[test]
fn the_projects_own_command_runs_in_place_of_the_usual_one() -> Result<()> {
    let client = client!("the_projects_own_command_runs_in_place_of_the_usual_one");
    let (project, tools) = (Project::new()?, programs(&["npm", "pnpm"])?);
    install(&project, &["use-project-commands"])?;
    project.write("pnpm-lock.yaml", "")?;
    let run = |rule: &str| {
        project.write(".claude/settings.local.json", rule)?;
        Session::new(&client, project.path())
            .allow(&["Bash"])
            .path_first(tools.path())
            .turn(Turn::bash("npm run build"))
            .turn(Turn::bash("npm i lodash"))
            .turn(Turn::bash("npm view lodash"))
            .go()
    };
    let outcome = run("{}")?;
    let results = outcome.tool_results();
    results[0].has("pnpm ran: run build");
    outcome
        .model_read()
        .has("this project uses `pnpm` instead of `npm` (`pnpm-lock.yaml`), so `pnpm run build` was run");
    results[1].has("run `pnpm add lodash`");
    results[2].has("npm ran: view lodash");
    // A rule about the old command is not passed by.
    let results = run(r#"{"permissions": {"ask": ["Bash(npm run *)"]}}"#)?.tool_results();
    results[0].has("run `pnpm run build`");
    results[0].lacks("ran:");
    // A wrong file has no effect.
    project.write(".claude/commands.toml", "npm = \n")?;
    let outcome = run("{}")?;
    outcome.tool_results()[0].has("npm ran: run build");
    let failed = outcome.hook_responses().into_iter().any(|response| response.stderr.contains("line 1"));
    assert!(failed, "{:?}", outcome.hook_responses());
    Ok(())
}

#[test]
fn commands_have_the_variables_of_files_that_the_user_has_allowed() -> Result<()> {
    let client = client!("commands_have_the_variables_of_files_that_the_user_has_allowed");
    let (project, state) = (Project::new()?, Project::new()?);
    install(&project, &["load-environment"])?;
    for (folder, value) in [("", "outer"), ("sub/", "inner"), ("other/", "foreign")] {
        project.write(&format!("{folder}.env"), format!("NAMED={value}\n"))?;
    }
    let allow = "sha256sum \"$PWD/.env\" \"$PWD/sub/.env\" > \"$0\"";
    let list = state.path().join("hookkit/environment");
    fs::create_dir_all(state.path().join("hookkit"))?;
    Command::new("sh").args(["-c", allow]).arg(&list).current_dir(project.path()).out(0)?;
    let run = || {
        Session::new(&client, project.path())
            .allow(&["Bash"])
            .env("XDG_STATE_HOME", state.path())
            .turn(Turn::bash("echo is=$NAMED"))
            .turn(Turn::bash("cd sub"))
            .turn(Turn::bash("echo is=$NAMED"))
            .turn(Turn::bash("cd ../other"))
            .turn(Turn::bash("echo is=$NAMED"))
            .go()
    };
    let results = run()?.tool_results();
    assert_eq!([&results[0], &results[2], &results[4]], ["is=outer", "is=inner", "is=outer"]);
    // A commit changes the file.
    project.write(".env", "NAMED=evil\n")?;
    let outcome = run()?;
    assert_eq!(outcome.tool_results()[0], "is=");
    let failed =
        outcome.hook_responses().into_iter().any(|response| response.stderr.contains("because it has changed"));
    assert!(failed, "{:?}", outcome.hook_responses());
    Ok(())
}

#[test]
fn rules_come_back_after_a_compaction() -> Result<()> {
    let client = client!("rules_come_back_after_a_compaction");
    let project = Project::new()?;
    install(&project, &["restore-context", "keep-transcript"])?;
    let run = |rules: &[u8]| {
        project.write(".claude/keep.md", rules)?;
        Session::new(&client, project.path())
            .turn(Turn::text("Done."))
            .turn(Turn::text("<summary>They said go.</summary>"))
            .turn(Turn::text("Done."))
            .then("/compact")
            .then("on")
            .run("go")
    };
    let read = run(b"Never push.\n")?.model_read();
    read.has("The rules of the project (`.claude/keep.md`):\nNever push.\n\nThe user's last prompt:\ngo\n");
    read.has("On branch `main`");
    read.has("The conversation before the compaction is in `");
    let outcome = run(b"\xff")?;
    outcome.model_read().lacks("The rules of the project");
    let failed =
        outcome.hook_responses().into_iter().any(|response| response.stderr.contains("keep.md` cannot be read"));
    assert!(failed, "{:?}", outcome.hook_responses());
    Ok(())
}

#[test]
fn a_to_do_list_comes_back_after_a_compaction_and_tasks_are_for_the_model_to_list() -> Result<()> {
    let client = client!("a_to_do_list_comes_back_after_a_compaction_and_tasks_are_for_the_model_to_list");
    let project = Project::new()?;
    install(&project, &["restore-context"])?;
    let run = |tasks: &str, call: Turn, after: Turn| {
        Session::new(&client, project.path())
            .env("CLAUDE_CODE_ENABLE_TODO_TOOLS", "1")
            .env("CLAUDE_CODE_ENABLE_TASKS", tasks)
            .env("ENABLE_TOOL_SEARCH", "0")
            .reply("go", [call, Turn::text("Done.")])
            .reply("CRITICAL: Respond with TEXT ONLY", [Turn::text("<summary>They said go.</summary>")])
            .reply("on", [after, Turn::text("Done.")])
            .then("/compact")
            .then("on")
            .run("go")
    };
    let item = json!({"content": "feed the zebra", "status": "in_progress", "activeForm": "feeding"});
    let write = Turn::call("TodoWrite", json!({"todos": [item]}));
    let outcome = run("0", write, Turn::text("Done."))?;
    outcome.model_read().has("The to-do list:\n- feed the zebra (in_progress)\n");
    let create = json!({"subject": "feed the zebra", "description": "all of it", "activeForm": "feeding"});
    let outcome = run("1", Turn::call("TaskCreate", create), Turn::call("TaskList", json!({})))?;
    let messages: Vec<String> =
        (outcome.all_requests().iter()).map(|request| request.body["messages"].to_string()).collect();
    let asked = messages.iter().rev().find(|messages| !messages.contains("TaskList"));
    asked.context("the request before the list")?.lacks("zebra");
    outcome.tool_results()[1].has("feed the zebra");
    Ok(())
}

#[test]
fn needless_comments_are_reported_and_the_edit_goes_ahead() -> Result<()> {
    let client = client!("needless_comments_are_reported_and_the_edit_goes_ahead");
    let project = Project::new()?;
    install(&project, &["needless-comments"])?;
    let write =
        |name: &str, text: &str| Turn::call("Write", json!({"file_path": project.path().join(name), "content": text}));
    let outcome = Session::new(&client, project.path())
        .allow(&["Write"])
        .turn(write("a.py", "# get the user by id\nuser = get_user_by_id(id)\n"))
        .turn(write("b.py", "# users that were deleted have no id\nuser = get_user_by_id(id)\n"))
        .go()?;
    let read = outcome.model_read();
    read.has("- line 1 repeats the code: get the user by id");
    read.lacks("b.py`:\n");
    assert!(project.exists("a.py") && project.exists("b.py"));
    Ok(())
}
