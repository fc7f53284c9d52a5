//! `.claude/hookkit.sh`, which looks for the programs of a project's hooks as a session starts.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::workspace::{fixture, on_project};
use hookkit_tests::xtask::{text, xtask, xtask_ok};
use serde_json::{Value, json};

const BIN: &str = ".claude/hookkit/fixture/bin";

/// A project with two hooks, in a folder of a repository. All of it is committed.
fn shared(within: &str) -> Result<(Project, PathBuf)> {
    let project = Project::named("main")?;
    let folder = project.path().join(within);
    fs::create_dir_all(&folder)?;
    let install = ["install", "--hook", "hold", "--hook", "careful", "--project"];
    xtask_ok(fixture()?, &[&install[..], &[text(&folder)?]].concat())?;
    project.git(&["add", "--all"])?;
    project.git(&["commit", "--quiet", "--message", "hooks"])?;
    Ok((project, folder))
}

/// Runs the script as the client does, and returns its answer.
fn start(project: &Path) -> Result<Value> {
    let settings: Value = serde_json::from_slice(&fs::read(project.join(".claude/settings.json"))?)?;
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    ensure!(handler["args"].is_null(), "a shell runs it: {handler}");
    let output = Command::new("/bin/sh")
        .args(["-c", handler["command"].as_str().context("a command")?])
        .current_dir(project)
        .env("CLAUDE_PROJECT_DIR", project)
        .output()?;
    ensure!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    match output.stdout.is_empty() {
        true => Ok(Value::Null),
        false => Ok(serde_json::from_slice(&output.stdout)?),
    }
}

/// Returns what is said of hooks without programs.
fn missing(hooks: &str) -> Value {
    let said = format!(
        "Hooks of this project, those of fixture, are not built on this machine: {hooks}. Nothing is checked by them, and \
         where one blocks on failure, Claude Code refuses what it would be asked about. To build them, run in the project: cargo hookkit sync"
    );
    json!({
        "systemMessage": said,
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": said},
    })
}

#[test]
fn a_clone_is_told_which_hooks_it_does_not_have() -> Result<()> {
    let (project, _) = shared("")?;
    assert_eq!(start(project.path())?, Value::Null);
    fs::remove_file(project.path().join(BIN).join("hold"))?;
    assert_eq!(start(project.path())?, missing("hold"));
    let clone = Project::named("clone")?;
    let url = text(project.path())?;
    clone.git(&["clone", "--quiet", url, "app"])?;
    assert_eq!(start(&clone.path().join("app"))?, missing("careful hold"));
    Ok(())
}

#[test]
fn a_worktree_has_the_programs_of_the_main_one() -> Result<()> {
    for within in ["", "of a/project"] {
        let (project, folder) = shared(within)?;
        project.git(&["worktree", "add", "--quiet", "--detach", "../tree"])?;
        let tree = project.path().with_file_name("tree");
        let place = tree.join(within);
        assert_eq!(start(&place)?, Value::Null);
        for hook in ["careful", "hold"] {
            assert_eq!(
                fs::read(place.join(BIN).join(hook))?,
                fs::read(folder.join(BIN).join(hook))?
            );
        }
        let status = project.git(&["-C", text(&tree)?, "status", "--short", "--untracked-files=all"])?;
        assert_eq!(status, "");
        // What is there is what this machine has installed.
        xtask_ok(fixture()?, &["doctor", "--project", text(&place)?])?;
        fs::write(place.join(BIN).join("hold"), "another")?;
        let done = xtask(fixture()?, &["doctor", "--project", text(&place)?])?;
        assert_eq!(done.status.code(), Some(1), "{done:?}");
    }
    Ok(())
}

#[test]
fn a_worktree_with_other_hooks_gets_no_programs() -> Result<()> {
    let (project, _) = shared("")?;
    project.git(&["worktree", "add", "--quiet", "--detach", "../tree"])?;
    let tree = project.path().with_file_name("tree");
    let lock = tree.join(".claude/hookkit.lock");
    fs::write(&lock, fs::read_to_string(&lock)?.replace("\"Edit|Write\"", "\"Edit\""))?;
    assert_eq!(start(&tree)?, missing("careful hold"));
    assert!(!tree.join(".claude/hookkit").exists());
    Ok(())
}

#[test]
fn no_link_is_followed_out_of_a_worktree() -> Result<()> {
    for link in [".claude/hookkit", ".claude/hookkit/fixture", BIN] {
        let (project, _) = shared("")?;
        project.git(&["worktree", "add", "--quiet", "--detach", "../tree"])?;
        let tree = project.path().with_file_name("tree");
        let outside = project.path().with_file_name("outside");
        fs::create_dir(&outside)?;
        let link = tree.join(link);
        fs::create_dir_all(link.parent().context("a folder")?)?;
        symlink(&outside, &link)?;
        assert_eq!(start(&tree)?, missing("careful hold"));
        assert_eq!(fs::read_dir(&outside)?.count(), 0);
    }
    Ok(())
}

#[test]
fn a_lock_that_was_changed_puts_nothing_into_the_answer() -> Result<()> {
    let (project, _) = shared("")?;
    let lock = project.read(".claude/hookkit.lock")?;
    for name in [
        "a\\\"b",
        "$(touch canary)",
        "`touch canary`",
        "../../x",
        "-x y",
        "\u{1b}[1m",
    ] {
        project.write(
            ".claude/hookkit.lock",
            lock.replace("\"hold\": [", &format!("\"{name}\": [")),
        )?;
        assert_eq!(start(project.path())?, Value::Null, "{name}");
        assert!(!project.exists("canary"));
    }
    fs::remove_file(project.path().join(".claude/hookkit.lock"))?;
    let answer = start(project.path())?;
    let said = answer["systemMessage"].as_str().unwrap_or_default();
    assert!(said.starts_with("hookkit.lock of this project is missing"), "{answer}");
    on_project(&project, "uninstall")?;
    Ok(())
}
