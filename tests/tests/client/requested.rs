//! Hooks that hold what agents do again and again: secrets in results, other worktrees, loops, subagents, formatters.

use hookkit_tests::prelude::*;

use crate::case::result;
use crate::configured::workspace;
use crate::hooks::{install, install_from};
use crate::transcript::transcript_below;

/// Returns an invented token; it is split, so that repository scanners do not report it.
fn token() -> String {
    ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat()
}

/// Puts a program that fails in the place of an installed hook.
fn break_hook(project: &Project, hook: &str) -> Result<()> {
    let program = installed(project.path(), hook)?;
    fs::remove_file(&program)?;
    files::program(program, "#!/bin/sh\necho broken >&2\nexit 1\n")
}

/// Returns an MCP server whose tool `ask` answers with a token.
fn server() -> String {
    let lines = include_str!("../../fixtures/verdict/server.sh").lines().map(|line| {
        match line.contains("elicitation/create") {
            true => format!("say \"$call\" '{{\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}' ;;", token()),
            false => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn secrets_in_results_do_not_reach_the_model() -> Result<()> {
    let client = client!("secrets_in_results_do_not_reach_the_model");
    let project = Project::new()?;
    install(&project, &["redact-output", "report-secrets"])?;
    project.write("a.txt", format!("DB_PASSWORD=s3cr3tpw\nkey = {}\n", token()))?;
    project.write("server.sh", server())?;
    let server = json!({"mcpServers": {"srv": {"command": "sh", "args": [project.path().join("server.sh")]}}});
    let config = test_support::folder();
    let play = || {
        Session::new(&client, project.path())
            .config_dir(config.path())
            .allow(&["Bash", "Read", "mcp__srv"])
            .arguments(&["--mcp-config", &server.to_string()])
            .env("ENABLE_TOOL_SEARCH", "0")
            .env("PGPASSWORD", "correct-horse")
            .turn(Turn::bash("cat a.txt"))
            .turn(Turn::call("Read", json!({"file_path": project.path().join("a.txt")})))
            .turn(Turn::call("mcp__srv__ask", json!({})))
            .turn(Turn::bash("echo $PGPASSWORD"))
            .turn(Turn::bash("echo no secret"))
            .go()
    };
    let outcome = play()?;
    let results = outcome.tool_results();
    for result in &results[..3] {
        result.has("ghp_[hookkit: GitHub token removed]");
    }
    results[0].has("DB_PASSWORD=[hookkit: value of DB_PASSWORD removed]");
    results[3].has("[hookkit: value of PGPASSWORD removed]");
    assert_eq!(results[4], "no secret");
    let read = outcome.model_read();
    read.has("hookkit replaced secrets in this result with markers");
    let kept = fs::read_to_string(transcript_below(&config.path().join("projects"))?)?;
    kept.has("[hookkit: value of PGPASSWORD removed]");
    for secret in [&token()[4..], "s3cr3tpw", "correct-horse"] {
        read.lacks(secret);
        kept.lacks(secret);
    }

    // The client takes no other output of a failed call.
    let outcome = Session::new(&client, project.path()).allow(&["Bash"]).turn(Turn::bash("cat a.txt; exit 3")).go()?;
    outcome
        .model_read()
        .has("The error of Bash contains secrets, which hookkit cannot remove from a failed call: value of DB_PASSWORD, GitHub token.");

    // A hook that fails leaves the result as it is.
    break_hook(&project, "redact-output")?;
    play()?.tool_results()[0].has(&token());
    Ok(())
}

#[test]
fn a_session_of_a_worktree_changes_nothing_in_others() -> Result<()> {
    let client = client!("a_session_of_a_worktree_changes_nothing_in_others");
    let project = Project::named("app")?;
    project.write("a.txt", "a\n")?;
    project.git(&["add", "a.txt"])?;
    project.git(&["commit", "--quiet", "--message", "One"])?;
    project.git(&["worktree", "add", "--quiet", "../wt"])?;
    let hooks = ["--hook", "keep-to-worktree", "--hook", "note-worktree"];
    let arguments = ["install", "--scope", "local", "--project", text(project.path())?];
    xtask_ok(repository(), &[&arguments[..], &hooks].concat())?;
    let wt = project.path().with_file_name("wt");
    let write = |folder: &Path, name: &str| {
        let input = json!({"file_path": folder.join(name), "content": "new\n"});
        Turn::call("Write", input)
    };
    let play = |folder: &Path| {
        Session::new(&client, folder)
            .trusting(project.path())
            .within(project.path().parent().expect("a folder"))
            .allow(&["Bash", "Write"])
            .turn(write(project.path(), "b.txt"))
            .turn(Turn::bash("git -C ../app commit --allow-empty -m Two"))
            .turn(write(&wt, "b.txt"))
            .turn(Turn::bash("git -C ../app log --format=%s && echo c > c.txt"))
            .go()
    };
    let outcome = play(&wt)?;
    let results = outcome.tool_results();
    results[0].has(&format!("use `{}` instead", wt.join("b.txt").display()));
    results[1].has("another working tree of this repository");
    assert!(!project.exists("b.txt") && wt.join("b.txt").exists() && wt.join("c.txt").exists(), "{results:?}");
    assert_eq!(project.git(&["log", "--format=%s"])?, "One\n");

    // A session that went into one is held, too; there the client itself denies edits elsewhere.
    let outcome = Session::new(&client, project.path())
        .allow(&["Bash", "EnterWorktree"])
        .turn(Turn::bash("echo x > before.txt"))
        .turn(Turn::call("EnterWorktree", json!({"name": "x"})))
        .turn(Turn::bash(&format!("echo x > {}/within.txt", project.path().display())))
        .go()?;
    let results = outcome.tool_results();
    assert!(project.exists("before.txt") && !project.exists("within.txt"), "{results:?}");
    results[2].has(".claude/worktrees/x/within.txt` instead");

    // A hook that fails denies.
    break_hook(&project, "keep-to-worktree")?;
    fs::remove_file(wt.join("b.txt"))?;
    let outcome = play(&wt)?;
    assert!(!project.exists("b.txt") && !wt.join("b.txt").exists(), "{:?}", outcome.tool_results());
    Ok(())
}

#[test]
fn a_loop_is_reported_and_then_ended() -> Result<()> {
    let client = client!("a_loop_is_reported_and_then_ended");
    let project = Project::new()?;
    install(&project, &["break-loops", "count-failures"])?;
    let play = |state: &Path| {
        let session = Session::new(&client, project.path()).allow(&["Bash"]).env("XDG_STATE_HOME", state);
        let calls = (0..7).map(|number| {
            Turn::call("Bash", json!({"command": "echo no >&2; exit 3", "description": format!("Try {number}")}))
        });
        calls.fold(session, Session::turn).go()
    };
    let state = test_support::folder();
    let outcome = play(state.path())?;
    assert_eq!(outcome.tool_results().len(), 4, "the model does not read the fifth");
    assert_eq!(outcome.requests(), 5);
    outcome.model_read().has("the same Bash call fails in the same way, 3 times in this turn");
    let last = result(&outcome);
    assert_eq!(last["terminal_reason"], "hook_stopped", "{last}");

    // Without its state it does nothing, and the session goes on.
    let file = state.path().join("file");
    fs::write(&file, "")?;
    assert_eq!(play(&file)?.tool_results().len(), 7);
    Ok(())
}

#[test]
fn subagents_start_within_limits() -> Result<()> {
    let client = client!("subagents_start_within_limits");
    let (stage, project) = (workspace()?, Project::new()?);
    install_from(&stage.app(), &project, &["hold-subagents", "count-subagents"])?;
    let agent = |number: usize| {
        let input = json!({
            "description": "Count", "prompt": format!("SUBTASK {number}"), "subagent_type": "general-purpose",
            "run_in_background": false,
        });
        ("Agent", input)
    };
    let play = |state: &Path| {
        let turns = [Turn::calls((0..3).map(agent)), Turn::calls([agent(3)]), Turn::text("Done.")];
        Session::new(&client, project.path())
            .env("XDG_STATE_HOME", state)
            .reply("SUBTASK", [Turn::text("Counted.")])
            .reply("go", turns)
            .run("go")
    };
    let state = test_support::folder();
    let results = play(state.path())?.tool_results();
    let is_denied = |result: &String| result.contains("2 subagents are already running, which is the limit");
    assert_eq!(results.len(), 4, "{results:?}");
    assert_eq!(results[..3].iter().filter(|result| is_denied(result)).count(), 1, "{results:?}");
    assert!(!is_denied(&results[3]), "the others have ended: {results:?}");

    // Without its state it denies nothing.
    let file = state.path().join("file");
    fs::write(&file, "")?;
    assert!(!play(&file)?.tool_results().iter().any(is_denied));
    Ok(())
}

#[test]
fn the_model_reads_which_lines_a_formatter_took_away() -> Result<()> {
    let client = client!("the_model_reads_which_lines_a_formatter_took_away");
    let project = Project::new()?;
    install(&project, &["format-on-edit"])?;
    project.write("package.json", r#"{"prettier": {}}"#)?;
    let prettier = project.path().join("node_modules/.bin/prettier");
    let script = |code: &str| format!("#!/bin/sh\nfor file; do :; done\n{code}\n");
    fs::create_dir_all(prettier.parent().context("a folder")?)?;
    files::program(&prettier, script("sed -i /^import/d \"$file\""))?;
    let play = |name: &str| {
        let content = "import { readFile } from 'fs'\nconst a = 1\n";
        let input = json!({"file_path": project.path().join(name), "content": content});
        Session::new(&client, project.path()).allow(&["Write"]).turn(Turn::call("Write", input)).go()
    };
    let outcome = play("a.ts")?;
    assert_eq!(project.read("a.ts")?, "const a = 1\n");
    outcome
        .model_read()
        .has("that this edit had just added:\n\nimport { readFile } from 'fs'\n\nThey are not in the file now.");
    // One that fails takes nothing away.
    files::program(&prettier, script("echo 'no parser' >&2; exit 2"))?;
    let read = play("b.ts")?.model_read();
    read.has("`prettier` could not format `b.ts`:\n\nno parser");
    read.lacks("that this edit had just added");
    Ok(())
}
