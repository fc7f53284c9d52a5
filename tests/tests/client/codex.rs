//! Hooks in Codex, installed by `install --agent codex`. The rows are in tests/lines/codex.txt.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use hookkit_tests::agents::Codex;
use hookkit_tests::xtask::{refused, repository, text, xtask_ok};
use hookkit_tests::{Project, Turn, faults, workspace};
use serde_json::{Value, json};
use test_support::lines;

/// Returns a repository with a few files.
fn project() -> Result<Project> {
    let project = Project::new()?;
    project.git(&["init", "-q", "-b", "main"])?;
    project.write("a.txt", "one\ntwo\nthree\n")?;
    project.write(".env", "KEY=opensesame\n")?;
    Ok(project)
}

/// Installs hooks for Codex: a pack, or single ones.
fn install(workspace: &Path, project: &Project, what: &[&str]) -> Result<String> {
    let options = ["install", "--agent", "codex", "--project", text(project.path())?];
    xtask_ok(workspace, &[&options, what].concat())
}

/// Returns the call of a row: a command, or a patch.
fn call(line: &str) -> Turn {
    // It is split, so that repository scanners do not report it.
    let line = line.replace(
        "ghp_TOKEN",
        &["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat(),
    );
    match line.split_once(' ') {
        Some(("patch", patch)) => Turn::call("apply_patch", Value::from(patch)),
        Some((_, command)) => exec(command),
        None => Turn::text(line),
    }
}

fn exec(command: &str) -> Turn {
    Turn::call("exec_command", json!({"cmd": command}))
}

/// Plays the calls of a section, and checks what the model reads.
fn play(codex: &Codex, section: &str) -> Result<String> {
    let rows = lines!("lines/codex.txt");
    let rows = &rows.section(section).rows;
    let told = codex.run(rows.iter().map(|row| call(&row.line)).collect())?;
    ensure!(told.len() == rows.len() + 1, "{told:#?}");
    let wrong = rows
        .iter()
        .zip(&told)
        .filter(|(row, told)| !told.contains(&row.expected.concat()));
    let wrong: Vec<_> = wrong.map(|(row, told)| format!("{}: {told}", row.line)).collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(told.concat())
}

#[test]
fn codex_obeys_each_denial_of_the_guards_and_runs_the_rest() -> Result<()> {
    let project = project()?;
    let name = "codex_obeys_each_denial_of_the_guards_and_runs_the_rest";
    let Some(codex) = Codex::require(name, project.path())? else {
        return Ok(());
    };
    let said = install(repository(), &project, &["--pack", "hookkit-guard"])?;
    ensure!(said.contains("Codex runs none of them before you trust it"), "{said}");
    // Without trust, not one of them runs.
    let told = codex.run(vec![exec("cat .env")])?;
    ensure!(told[0].contains("KEY=opensesame"), "{told:?}");
    ensure!(codex.trust()? >= 14);
    play(&codex, "guards")?;
    ensure!(project.exists("new.txt") && !project.exists("other.txt") && !project.exists("Cargo.lock"));
    ensure!(project.read("a.txt")? == "one\n2\nthree\n");
    // Another install keeps the trust, and a guard whose program is missing denies.
    install(repository(), &project, &["--pack", "hookkit-guard"])?;
    ensure!(codex.trust()? == 0);
    fs::remove_file(project.path().join(".codex/hookkit/hookkit/bin/deny-destruction"))?;
    let told = codex.run(vec![exec("ls")])?;
    ensure!(
        told[0].contains("bin/deny-destruction: No such file or directory"),
        "{told:?}"
    );
    Ok(())
}

#[test]
fn codex_denies_on_each_fault_of_a_guard_and_goes_on_without_an_adviser() -> Result<()> {
    for hook in ["guard", "doubter", "advisor"] {
        let project = project()?;
        let name = "codex_denies_on_each_fault_of_a_guard_and_goes_on_without_an_adviser";
        let Some(codex) = Codex::require(name, project.path())? else {
            return Ok(());
        };
        install(workspace::fixture()?, &project, &["--hook", hook])?;
        codex.trust()?;
        let mut faults = faults::in_the_handler();
        faults.push(("kill".to_owned(), String::new()));
        let calls = faults.iter().map(|(fault, _)| exec(&format!(": {fault}")));
        for ((fault, why), told) in faults.iter().zip(codex.run(calls.collect())?) {
            let told = told.replace(r"\n", " ");
            let is_denied = told.contains("blocked by PreToolUse hook") && told.contains(why.trim());
            ensure!(is_denied == (hook != "advisor"), "{hook}, {fault}: {told}");
        }
    }
    Ok(())
}

#[test]
fn codex_reads_each_answer_that_its_table_has() -> Result<()> {
    let (project, fixture) = (project()?, workspace::fixture()?);
    let Some(codex) = Codex::require("codex_reads_each_answer_that_its_table_has", project.path())? else {
        return Ok(());
    };
    let hooks = [
        "--hook", "describe-edit", "--hook", "complain", "--hook", "hold", "--hook", "greet",
    ];
    install(fixture, &project, &hooks)?;
    codex.trust()?;
    let told = play(&codex, "fixture")?;
    for text in ["two became 2 in", "startup in ", ">not yet</hook_prompt>"] {
        ensure!(told.matches(text).count() == 1, "{text}: {told}");
    }
    for (hook, why) in [
        ("no-push", "Codex ignores `if`"),
        ("wake", "Codex cannot be woken by a hook"),
        ("overhear", "Codex has no event `Notification`"),
    ] {
        let said = refused(
            fixture,
            &[
                "install",
                "--agent",
                "codex",
                "--hook",
                hook,
                "--project",
                text(project.path())?,
            ],
        )?;
        ensure!(said.contains(why), "{said}");
    }
    Ok(())
}
