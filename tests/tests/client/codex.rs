//! Hooks in Codex, installed by `install --agent codex`. The rows are in tests/lines/codex.txt.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use hookkit_tests::agents::Codex;
use hookkit_tests::xtask::{refused, repository, text, xtask_ok};
use hookkit_tests::{Project, Turn, faults, workspace};
use serde_json::{Value, json};
use test_support::lines;

/// Returns the options with which hooks are installed for Codex.
fn options<'o>(project: &'o Project, hooks: &'o str) -> Result<Vec<&'o str>> {
    let hooks = hooks.split(' ').flat_map(|hook| ["--hook", hook]);
    let options = ["install", "--agent", "codex", "--project", text(project.path())?];
    Ok(options.into_iter().chain(hooks).collect())
}

/// Plays hooks in Codex, which trusts them, in a repository with a few files.
fn played(test: &str, workspace: &Path, hooks: &str, play: impl Fn(&Codex, &Project) -> Result<()>) -> Result<()> {
    let project = Project::new()?;
    project.git(&["init", "-q", "-b", "main"])?;
    project.write("a.txt", "one\ntwo\nthree\n")?;
    project.write(".env", "KEY=opensesame\n")?;
    let Some(codex) = Codex::require(test, project.path())? else {
        return Ok(());
    };
    let printed = xtask_ok(workspace, &options(&project, hooks)?)?;
    ensure!(
        printed.contains("Codex runs none of them before you trust it"),
        "{printed}"
    );
    // Without trust, not one of them runs.
    let read = codex.run(vec![exec("cat .env")])?;
    ensure!(read[0].contains("KEY=opensesame"), "{read:?}");
    ensure!(codex.trust()? > 0);
    play(&codex, &project)
}

/// Returns the call of a row: a command, or a patch.
fn call(line: &str) -> Turn {
    // It is split, so that repository scanners do not report it.
    let token = ["ghp_", "q7Zk3XvW9bRm2TfYd8", "LhPc5NsGj4Bw6KxQe1"].concat();
    let line = line.replace("ghp_TOKEN", &token);
    match line.strip_prefix("patch ") {
        Some(patch) => Turn::call("apply_patch", Value::from(patch)),
        None => exec(&line),
    }
}

fn exec(command: &str) -> Turn {
    Turn::call("exec_command", json!({"cmd": command}))
}

/// Plays the calls of a section, and checks what the model reads.
fn play(codex: &Codex, section: &str) -> Result<String> {
    let rows = lines!("lines/codex.txt");
    let rows = &rows.section(section).rows;
    let read = codex.run(rows.iter().map(|row| call(&row.line)).collect())?;
    for (at, row) in rows.iter().enumerate() {
        ensure!(read[at].contains(&row.expected.concat()), "{}: {}", row.line, read[at]);
    }
    Ok(read.concat())
}

#[test]
fn codex_obeys_each_denial_of_the_guards_and_runs_the_rest() -> Result<()> {
    let test = "codex_obeys_each_denial_of_the_guards_and_runs_the_rest";
    let hooks =
        "deny-destruction protect-secrets protect-files deny-secrets keep-git-hooks protect-branches mark-instructions";
    played(test, repository(), hooks, |codex, project| {
        play(codex, "guards")?;
        ensure!(project.exists("new.txt") && !project.exists("other.txt") && !project.exists("Cargo.lock"));
        ensure!(project.read("a.txt")? == "one\n2\nthree\n");
        // Another install keeps the trust, and a guard whose program is missing denies.
        xtask_ok(repository(), &options(project, hooks)?)?;
        ensure!(codex.trust()? == 0);
        fs::remove_file(project.path().join(".codex/hookkit/hookkit/bin/deny-destruction"))?;
        let read = codex.run(vec![exec("ls")])?.concat();
        ensure!(
            read.contains("bin/deny-destruction: No such file or directory"),
            "{read}"
        );
        Ok(())
    })
}

#[test]
fn codex_denies_on_each_fault_of_a_guard_and_goes_on_without_an_adviser() -> Result<()> {
    let test = "codex_denies_on_each_fault_of_a_guard_and_goes_on_without_an_adviser";
    for hook in ["guard", "doubter", "advisor"] {
        played(test, workspace::fixture()?, hook, |codex, _| {
            let mut faults = faults::in_the_handler();
            faults.push(("kill".to_owned(), String::new()));
            let calls = faults.iter().map(|(fault, _)| exec(&format!(": {fault}")));
            for ((fault, why), read) in faults.iter().zip(codex.run(calls.collect())?) {
                let read = read.replace(r"\n", " ");
                let is_denied = read.contains("blocked by PreToolUse hook") && read.contains(why.trim());
                ensure!(is_denied == (hook != "advisor"), "{hook}, {fault}: {read}");
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn codex_reads_each_answer_that_its_table_has() -> Result<()> {
    let test = "codex_reads_each_answer_that_its_table_has";
    let fixture = workspace::fixture()?;
    played(test, fixture, "describe-edit complain hold greet", |codex, project| {
        let read = play(codex, "fixture")?;
        for text in ["two became 2 in", "startup in ", ">not yet</hook_prompt>"] {
            ensure!(read.matches(text).count() == 1, "{text}: {read}");
        }
        for row in &lines!("lines/codex.txt").section("refused").rows {
            let printed = refused(fixture, &options(project, &row.line)?)?;
            ensure!(printed.contains(&row.expected.concat()), "{printed}");
        }
        Ok(())
    })
}
