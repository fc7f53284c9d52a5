//! The hooks of the pack *permission* in the real client.

use anyhow::{Context as _, Result};
use hookkit_tests::xtask::{repository, text, xtask_ok};
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::{Value, json};

use crate::hooks::install;

#[test]
fn only_read_only_commands_run_without_a_permission_rule() -> Result<()> {
    let Some(client) = client::require("only_read_only_commands_run_without_a_permission_rule") else {
        return Ok(());
    };
    let project = Project::new()?;
    project.write("notes.txt", "one\ntwo\n")?;
    let run = || {
        let bash = |command: &str| Turn::call("Bash", json!({"command": command, "description": "Look"}));
        Session::new(&client, project.path())
            .turn(bash("x=$(tac notes.txt); for n in 1 2; do tac notes.txt; done"))
            .turn(bash(r"find . -name 'n*.txt' -exec awk '{print NR $1}' {} \;"))
            .turn(bash("tac notes.txt > made"))
            .turn(Turn::text("Done."))
            .run("go")
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
    let Some(client) = client::require("a_repository_nested_in_a_checkout_runs_no_program") else {
        return Ok(());
    };
    let project = Project::new()?;
    for file in ["objects/.keep", "refs/.keep", "tree/.keep"] {
        project.write(&format!("docs/{file}"), "")?;
    }
    project.write("docs/HEAD", "ref: refs/heads/main\n")?;
    let canary = project.path().join("canary");
    project.write(
        "docs/config",
        format!(
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = tree\n\tfsmonitor = \"touch {}; false\"\n",
            canary.display()
        ),
    )?;
    install(&project, &["approve-read-only"])?;
    let bash = |command: &str| Turn::call("Bash", json!({"command": command, "description": "Look"}));
    let results = Session::new(&client, project.path())
        .turn(bash("git status --short"))
        .turn(bash("cd docs/tree"))
        .turn(bash("git status"))
        .turn(Turn::text("Done."))
        .run("go")?
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

#[test]
fn the_rules_that_explain_gives_allow_the_line() -> Result<()> {
    let Some(client) = client::require("the_rules_that_explain_gives_allow_the_line") else {
        return Ok(());
    };
    let project = Project::new()?;
    let lines = ["touch one.txt", "touch two.txt && touch 'three 3.txt'"];
    let mut rules = Vec::new();
    for line in lines {
        let arguments = ["explain", line, "--json", "--project", text(project.path())?];
        let rows = xtask_ok(repository(), &arguments)?;
        let summary: Value = serde_json::from_str(rows.lines().last().context("no row")?)?;
        rules.extend(summary["rules"].as_array().context("no rules")?.clone());
    }
    project.write(
        ".claude/settings.json",
        json!({"permissions": {"allow": rules}}).to_string(),
    )?;
    let bash = |command: &str| Turn::call("Bash", json!({"command": command, "description": "Make it"}));
    let results = Session::new(&client, project.path())
        .turn(bash("touch four.txt"))
        .turn(bash(lines[0]))
        .turn(bash(lines[1]))
        .turn(Turn::text("Done."))
        .run("go")?
        .tool_results();
    let is_made = ["one.txt", "two.txt", "three 3.txt", "four.txt"].map(|file| project.exists(file));
    assert_eq!(is_made, [true, true, true, false], "{rules:?}: {results:?}");
    Ok(())
}
