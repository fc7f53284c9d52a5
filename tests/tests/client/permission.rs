//! The hooks of the pack *permission* in the real client.

use anyhow::Context as _;
use hookkit_tests::prelude::*;

use crate::hooks::install;

#[test]
fn only_read_only_commands_run_without_a_permission_rule() -> Result<()> {
    let client = client!("only_read_only_commands_run_without_a_permission_rule");
    let project = Project::new()?;
    project.write("notes.txt", "one\ntwo\n")?;
    let run = || {
        Session::new(&client, project.path())
            .turn(Turn::bash("x=$(tac notes.txt); for n in 1 2; do tac notes.txt; done"))
            .turn(Turn::bash(r"find . -name 'n*.txt' -exec awk '{print NR $1}' {} \;"))
            .turn(Turn::bash("tac notes.txt > made"))
            .go()
    };
    // There is no user to ask, so the client denies all.
    let results = run()?.tool_results();
    let is_denied = |result: &String| result.contains("approval") || result.contains("cannot be auto-allowed");
    assert!(results.iter().all(is_denied), "{results:?}");
    install(&project, &["approve-read-only"])?;
    let results = run()?.tool_results();
    assert_eq!(results[0], "two\none\ntwo\none", "{results:?}");
    assert_eq!(results[1], "1one\n2two", "{results:?}");
    assert!(results[2].contains("approval"), "{results:?}");
    assert!(!project.exists("made"));
    Ok(())
}

#[test]
fn a_repository_nested_in_a_checkout_runs_no_program() -> Result<()> {
    let client = client!("a_repository_nested_in_a_checkout_runs_no_program");
    let project = Project::new()?;
    for file in ["objects/.keep", "refs/.keep", "tree/.keep"] {
        project.write(&format!("docs/{file}"), "")?;
    }
    project.write("docs/HEAD", "ref: refs/heads/main\n")?;
    let canary = project.path().join("canary");
    let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = tree\n\tfsmonitor";
    project.write("docs/config", format!("{config} = \"touch {}; false\"\n", canary.display()))?;
    install(&project, &["approve-read-only"])?;
    let results = Session::new(&client, project.path())
        .turn(Turn::bash("git status --short"))
        .turn(Turn::bash("cd docs/tree"))
        .turn(Turn::bash("git status"))
        .go()?
        .tool_results();
    assert!(results[0].contains("?? docs/"), "{results:?}");
    assert!(!results[1].contains("approval"), "{results:?}");
    assert!(results[2].contains("approval"), "{results:?}");
    assert!(!canary.exists());
    // Without the hook, git itself starts the program.
    project.git(&["-C", "docs/tree", "status"])?;
    assert!(canary.exists());
    Ok(())
}

/// The page of outputs has these rows. A rule allows the call, so that it runs without the hook.
#[test]
fn no_permission_mode_answers_a_question_of_a_hook() -> Result<()> {
    let client = client!("no_permission_mode_answers_a_question_of_a_hook");
    let own =
        json!({"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "really?"});
    let command = format!("echo '{}'", json!({"hookSpecificOutput": own}));
    let entry = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": command}]});
    for mode in ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"] {
        for (hooks, is_made) in [(json!({}), true), (json!({"PreToolUse": [entry]}), false)] {
            let project = Project::new()?;
            project.write(".claude/settings.json", json!({"hooks": hooks}).to_string())?;
            let outcome = Session::new(&client, project.path())
                .allow(&["Bash(touch *)"])
                .arguments(&["--permission-mode", mode])
                // Root may not bypass permissions elsewhere.
                .env("IS_SANDBOX", "1")
                .turn(Turn::bash("touch made"))
                .go()?;
            let results = outcome.tool_results();
            assert_eq!(project.exists("made"), is_made, "{mode}: {results:?}");
            assert_eq!(results == ["really?"], !is_made, "{mode}: {results:?}");
        }
    }
    Ok(())
}

#[test]
fn of_several_denials_the_last_is_read_and_of_several_questions_the_first() -> Result<()> {
    let client = client!("of_several_denials_the_last_is_read_and_of_several_questions_the_first");
    for (decision, expected) in [("deny", "PreToolUse:Bash hook error: late"), ("ask", "early")] {
        let hook = |reason: &str, seconds: u32| {
            let own = json!({"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason});
            let command = format!("sleep {seconds}; echo '{}'", json!({"hookSpecificOutput": own}));
            json!({"type": "command", "command": command})
        };
        for hooks in [[hook("early", 0), hook("late", 1)], [hook("late", 1), hook("early", 0)]] {
            let project = Project::new()?;
            let settings = json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}});
            project.write(".claude/settings.json", settings.to_string())?;
            let outcome = Session::new(&client, project.path()).turn(Turn::bash("touch made")).go()?;
            assert_eq!(outcome.tool_results(), [expected]);
        }
    }
    Ok(())
}

#[test]
fn the_rules_that_explain_gives_allow_the_line() -> Result<()> {
    let client = client!("the_rules_that_explain_gives_allow_the_line");
    let project = Project::new()?;
    let lines = ["touch one.txt", "touch two.txt && touch 'three 3.txt'"];
    let mut rules = Vec::new();
    for line in lines {
        let arguments = ["explain", line, "--json", "--project", text(project.path())?];
        let rows = xtask_ok(repository(), &arguments)?;
        let summary: Value = serde_json::from_str(rows.lines().last().context("no row")?)?;
        rules.extend(summary["rules"].as_array().context("no rules")?.clone());
    }
    let content = json!({"permissions": {"allow": rules}}).to_string();
    project.write(".claude/settings.json", content)?;
    let results = Session::new(&client, project.path())
        .turn(Turn::bash("touch four.txt"))
        .turn(Turn::bash(lines[0]))
        .turn(Turn::bash(lines[1]))
        .go()?
        .tool_results();
    let is_made = ["one.txt", "two.txt", "three 3.txt", "four.txt"].map(|file| project.exists(file));
    assert_eq!(is_made, [true, true, true, false], "{rules:?}: {results:?}");
    Ok(())
}
