//! The hooks of this repository and of the fixture, installed by xtask, in the real client.

use hookkit_tests::prelude::*;

use crate::case::{case, check_all};

/// Returns a project with the hooks of this repository.
fn project_with_our_hooks() -> Result<Project> {
    let project = Project::new()?;
    xtask_ok(repository(), &["install", "--project", text(project.path())?])?;
    Ok(project)
}

/// Returns a project with the hooks of the fixture.
fn project_with_fixture() -> Result<Project> {
    let project = Project::new()?;
    workspace::install("fixture-hooks", &project)?;
    Ok(project)
}

fn bash(command: &str) -> Value {
    json!({"command": command, "description": "Run it"})
}

/// Returns the folder of the toolchain's own rustfmt: the usual one on the PATH is rustup's, which needs `HOME`.
fn toolchain() -> Result<PathBuf> {
    let root = Command::new("rustc").args(["--print", "sysroot"]).out(0)?;
    Ok(Path::new(root.trim()).join("bin"))
}

#[test]
fn an_edit_of_an_ill_formatted_file_is_formatted() -> Result<()> {
    let client = client!("an_edit_of_an_ill_formatted_file_is_formatted");
    let project = project_with_our_hooks()?;
    project.write("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2024\"\n")?;
    project.write("src/main.rs", "fn main() { }\n")?;
    let file = project.path().join("src/main.rs");
    let edit = json!({"file_path": file, "old_string": "{ }", "new_string": "{let a=1;\nprintln!(\"{a}\") }"});
    let outcome = Session::new(&client, project.path())
        .allow(&["Read", "Edit"])
        .path_first(&toolchain()?)
        .turn(Turn::call("Read", json!({"file_path": file})))
        .turn(Turn::call("Edit", edit))
        .go()?;
    let formatted = "fn main() {\n    let a = 1;\n    println!(\"{a}\")\n}\n";
    assert_eq!(project.read("src/main.rs")?, formatted, "{:?}", outcome.hook_responses());
    Ok(())
}

#[test]
fn the_model_reads_the_reason_and_not_the_secret() -> Result<()> {
    let client = client!("the_model_reads_the_reason_and_not_the_secret");
    let project = project_with_our_hooks()?;
    project.write(".env", "TOKEN=hunter2hunter2\n")?;
    let read = json!({"file_path": project.path().join(".env")});
    let run = |project: &Project| {
        Session::new(&client, project.path()).allow(&["Read"]).turn(Turn::call("Read", read.clone())).go()
    };
    let outcome = run(&project)?;
    assert!(!outcome.model_read().contains("hunter2hunter2"));
    let results = outcome.tool_results();
    assert!(results[0].starts_with("PreToolUse:Read hook error: "), "{results:?}");
    assert!(results[0].contains(".env"), "{results:?}");

    // Without the hooks, the same call reads the secret.
    xtask_ok(repository(), &["uninstall", "--project", text(project.path())?])?;
    assert!(run(&project)?.model_read().contains("hunter2hunter2"));
    Ok(())
}

#[test]
fn a_turn_is_held_once() -> Result<()> {
    let client = client!("a_turn_is_held_once");
    let project = project_with_our_hooks()?;
    let content = "#!/bin/sh\necho checked >> checks.txt\necho 'two tests fail'\nexit 1\n";
    files::program(project.path().join(".claude/check"), content)?;
    let outcome = Session::new(&client, project.path())
        .turn(Turn::text("Finished."))
        .turn(Turn::text("Finished, really."))
        .run("go")?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());
    assert_eq!(outcome.requests(), 2, "held once");
    assert!(outcome.model_read().contains("two tests fail"));
    assert_eq!(project.read("checks.txt")?, "checked\n");
    Ok(())
}

#[test]
fn eight_calls_in_one_message_leave_eight_valid_lines() -> Result<()> {
    let client = client!("eight_calls_in_one_message_leave_eight_valid_lines");
    let project = project_with_our_hooks()?;
    let commands: Vec<String> = (0..8).map(|number| format!("echo 'call {number} \u{fc}\"'")).collect();
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .turn(Turn::calls(commands.iter().map(|command| ("Bash", bash(command)))))
        .go()?;
    assert_eq!(outcome.tool_results().len(), 8);
    let lines = rows(&project.read(".claude/audit/tool-calls.jsonl")?)?;
    let logged = lines.iter().filter_map(|line| line["tool_input"]["command"].as_str());
    let mut logged: Vec<&str> = logged.collect();
    logged.sort_unstable();
    assert_eq!(logged, commands);
    Ok(())
}

#[test]
fn handlers_that_print_or_fail_still_deny() -> Result<()> {
    let client = client!("handlers_that_print_or_fail_still_deny");
    let project = project_with_fixture()?;
    for (hook, start) in [
        ("printing-guard", "PreToolUse:Bash hook error: no shell today"),
        ("panicking-guard", "PreToolUse:Bash hook error: denied, because the hook `panicking-guard` failed"),
        ("failing-guard", "PreToolUse:Bash hook error: denied, because the hook `failing-guard` failed"),
        ("failing-observer", "hello"),
    ] {
        only(&project, hook, "PreToolUse")?;
        let outcome = Session::new(&client, project.path())
            .allow(&["Bash"])
            .env("RUST_BACKTRACE", "1")
            .turn(Turn::bash("echo hello | tee ran.txt"))
            .go()?;
        let results = outcome.tool_results();
        assert!(results[0].starts_with(start), "{hook}: {results:?}");
        assert_eq!(project.exists("ran.txt"), hook == "failing-observer", "{hook}");
    }
    Ok(())
}

/// Writes settings that start only one of the fixture's hooks, for all subjects.
fn only(project: &Project, hook: &str, event: &str) -> Result<()> {
    let command = format!("${{CLAUDE_PROJECT_DIR}}/.claude/hookkit/fixture/bin/{hook}");
    let handler = json!({"type": "command", "command": command, "args": []});
    let settings = json!({"hooks": {event: [{"hooks": [handler]}]}});
    project.write(".claude/settings.json", settings.to_string())
}

/// Installs these hooks of our packs into a project.
pub(crate) fn install(project: &Project, hooks: &[&str]) -> Result<()> {
    install_from(repository(), project, hooks)
}

/// Installs these hooks of a workspace into a project.
pub(crate) fn install_from(workspace: &Path, project: &Project, hooks: &[&str]) -> Result<()> {
    let named = hooks.iter().flat_map(|&hook| ["--hook", hook]);
    let arguments = ["install", "--project", text(project.path())?].into_iter().chain(named);
    xtask_ok(workspace, &arguments.collect::<Vec<_>>()).map(drop)
}

/// Keeps only the entries of these hooks in the settings.
pub(crate) fn keep(project: &Project, hooks: &[&str]) -> Result<Value> {
    let mut settings: Value = serde_json::from_str(&project.read(".claude/settings.json")?)?;
    let is_kept = |group: &Value| {
        let command = group["hooks"][0]["command"].as_str().unwrap_or_default();
        hooks.iter().any(|hook| command.ends_with(&format!("/{hook}")))
    };
    let events = settings["hooks"].as_object_mut().into_iter();
    for groups in events.flat_map(|hooks| hooks.values_mut()) {
        groups.as_array_mut().context("a list of groups")?.retain(is_kept);
    }
    project.write(".claude/settings.json", settings.to_string())?;
    Ok(settings)
}

#[test]
fn a_condition_matches_as_the_permission_rule() -> Result<()> {
    let client = client!("a_condition_matches_as_the_permission_rule");
    let project = project_with_fixture()?;
    let settings = keep(&project, &["no-push"])?;
    let found = &settings["hooks"]["PreToolUse"][0]["matcher"];
    assert_eq!(*found, "Bash", "the matcher of the type");
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash"])
        .turn(Turn::bash("echo git push > said.txt"))
        .turn(Turn::bash("cd . && git push origin"))
        .go()?;
    let results = outcome.tool_results();
    assert!(results[1].contains("pushing is left to the user"), "{results:?}");
    assert_eq!(project.read("said.txt")?, "git push\n");
    assert_eq!(outcome.hook_responses().len(), 1, "{:?}", outcome.hook_responses());
    Ok(())
}

#[test]
fn a_large_payload_is_answered_or_left_unread() -> Result<()> {
    let client = client!("a_large_payload_is_answered_or_left_unread");
    let project = project_with_fixture()?;
    let content = "0123456789 \"quoted\"\n".repeat(100_000);
    let write = json!({"file_path": project.path().join("large.txt"), "content": content});
    for (hook, ran) in [("printing-guard", true), ("careful", false)] {
        only(&project, hook, "PreToolUse")?;
        let outcome =
            Session::new(&client, project.path()).allow(&["Write"]).turn(Turn::call("Write", write.clone())).go()?;
        let [response] = &outcome.hook_responses()[..] else { panic!("{hook}: not one response") };
        assert_eq!(response.exit_code, Some(0), "{response:?}");
        assert_eq!(response.outcome.as_str(), "success", "{response:?}");
        assert_eq!(project.exists("large.txt"), ran, "{hook}: {:?}", outcome.tool_results());
        if ran {
            assert_eq!(project.read("large.txt")?, content);
            fs::remove_file(project.path().join("large.txt"))?;
        }
    }
    Ok(())
}

#[test]
fn after_uninstall_only_foreign_hooks_run() -> Result<()> {
    let client = client!("after_uninstall_only_foreign_hooks_run");
    let project = Project::new()?;
    let settings = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"echo mine >> stops.txt\"}]}\n    ]\n  }\n}\n";
    project.write(".claude/settings.json", settings)?;
    let run = || Session::new(&client, project.path()).allow(&["Bash"]).turn(Turn::bash("echo hello")).go();
    xtask_ok(repository(), &["install", "--project", text(project.path())?])?;
    run()?;
    assert!(project.exists(".claude/audit/tool-calls.jsonl"));
    assert_eq!(project.read("stops.txt")?, "mine\n", "a foreign hook still runs");

    xtask_ok(repository(), &["uninstall", "--project", text(project.path())?])?;
    fs::remove_dir_all(project.path().join(".claude/audit"))?;
    let outcome = run()?;
    assert!(!project.exists(".claude/audit"));
    let ran: Vec<String> = outcome.hook_responses().into_iter().map(|hook| hook.event).collect();
    assert_eq!(ran, ["Stop"], "only the foreign hook");
    assert_eq!(project.read(".claude/settings.json")?, settings);
    Ok(())
}

/// Runs a session with one command. Returns `true` if it ran, the tool results, and the number of requests.
fn ran(client: &Path, project: &Project) -> Result<(bool, Vec<String>, usize)> {
    let outcome =
        Session::new(client, project.path()).allow(&["Bash"]).turn(Turn::bash("echo hello | tee ran.txt")).go()?;
    Ok((project.exists("ran.txt"), outcome.tool_results(), outcome.requests()))
}

#[test]
fn on_failure_block_denies_even_without_the_binary() -> Result<()> {
    let client = client!("on_failure_block_denies_even_without_the_binary");
    let project = project_with_fixture()?;
    let mut settings = keep(&project, &["strict-anywhere"])?;
    settings["hooks"] = json!({"PreToolUse": settings["hooks"]["PreToolUse"]});
    project.write(".claude/settings.json", settings.to_string())?;

    let (has_run, results, _) = ran(&client, &project)?;
    assert!(!has_run && results[0].contains("nothing goes on without it"), "{results:?}");

    fs::remove_file(project.path().join(".claude/hookkit/fixture/bin/strict-anywhere"))?;
    let (has_run, results, _) = ran(&client, &project)?;
    assert!(!has_run && results[0].contains("onFailure is \"block\""), "{results:?}");
    Ok(())
}

#[test]
fn hooks_of_a_workspace_take_effect() -> Result<()> {
    let cases = vec![
        // A hook on several events runs on each. The client does not report when it has processed the end of an async hook.
        case(&["tell", "afterthought"])
            .bash("echo hello")
            .bash("sleep 1")
            .reads("SessionStart hook additional context: called in ")
            .reads("UserPromptSubmit hook additional context: called in ")
            .reads("PostToolUse:Bash hook additional context: called in ")
            .reads("it occurred to a hook in the background"),
        // A failed hook with `on_failure = block` drops the prompt, and one with `continue` lets the tool run.
        case(&["strict-anywhere"]).requests(0),
        case(&["lenient-guard"]).bash("echo hello | tee ran.txt").file("ran.txt", "hello\n"),
        // A hook uses its workspace's configuration.
        case(&["denied-programs"])
            .bash("echo hello | tee ran.txt")
            .no_file("ran.txt")
            .results(&["PreToolUse:Bash hook error: nothing is said here"]),
        // A hook wakes the model.
        case(&["wake"]).says("Done.").requests(2).reads("No such file or directory"),
        // Later commands have the variables of hooks.
        case(&["export"])
            .bash("printf %s \"$HOOKKIT_SAYS\" > said.txt")
            .file("said.txt", "it's \"here\", $HOME\n`and` \\there"),
    ];
    check_all("hooks_of_a_workspace_take_effect", "fixture-hooks", cases)
}
