//! Hooks in the settings of each scope, in clones and in worktrees, in the real client.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::{as_user as xtask, handlers, text};
use hookkit_tests::{Outcome, Project, Session, Turn, client};
use serde_json::{Value, json};

/// A session that writes a file of Rust, where `remind` has something to say.
fn write(client: &Path, project: &Path) -> Result<Outcome> {
    let file = project.join("new.rs");
    let _ = fs::remove_file(&file);
    let outcome = Session::new(client, project)
        .allow(&["Write"])
        .turn(Turn::call(
            "Write",
            json!({"file_path": file, "content": "fn main() {}\n"}),
        ))
        .turn(Turn::text("Done."))
        .run("go")?;
    ensure!(file.exists(), "it goes on: {:?}", outcome.tool_results());
    Ok(outcome)
}

/// How often `remind` was heard.
fn reminders(outcome: &Outcome) -> usize {
    let responses = outcome.hook_responses();
    let reminds = |stdout: &str| stdout.contains("remember to run the tests");
    responses.iter().filter(|response| reminds(&response.stdout)).count()
}

/// A session that runs a command; what the model read of it, and whether it ran.
fn run(session: Session, project: &Path) -> Result<(String, bool)> {
    let outcome = session
        .allow(&["Bash"])
        .turn(Turn::call(
            "Bash",
            json!({"command": "echo hello | tee ran.txt", "description": "Run it"}),
        ))
        .turn(Turn::text("Done."))
        .run("go")?;
    let results = outcome.tool_results();
    Ok((
        results.first().cloned().unwrap_or_default(),
        project.join("ran.txt").exists(),
    ))
}

#[test]
fn a_path_may_have_blanks_quotes_and_other_alphabets() -> Result<()> {
    let project = Project::named("it's a \"test\" päth")?;
    let user = tempfile::tempdir()?;
    let path = text(project.path())?;
    let client = client::require("a_path_may_have_blanks_quotes_and_other_alphabets");

    let said = xtask(user.path(), &["install", "--project", path, "--hook", "remind"])?;
    let quoted = format!("'{}'", path.replace('\'', "'\\''"));
    assert!(said.contains(&format!("uninstall --project {quoted}\n")), "{said}");
    if let Some(client) = &client {
        assert_eq!(reminders(&write(client, project.path())?), 1);
    }

    // In the user's own settings of the project the path itself stands.
    let local = ["--scope", "local", "--project", path];
    let said = xtask(user.path(), &[&["install", "--hook", "remind"], &local[..]].concat())?;
    assert!(said.contains("run twice") && said.contains("`remind`"), "{said}");
    let command = handlers(&project.path().join(".claude/settings.local.json"), "remind")?[0]["command"].clone();
    assert_eq!(
        command,
        format!("{path}/.claude/hookkit/fixture@settings.local.json/bin/remind")
    );
    if let Some(client) = &client {
        assert_eq!(reminders(&write(client, project.path())?), 2);
    }

    xtask(user.path(), &["uninstall", "--project", path])?;
    if let Some(client) = &client {
        assert_eq!(reminders(&write(client, project.path())?), 1);
    }
    xtask(user.path(), &[&["uninstall"], &local[..]].concat())?;
    assert!(!project.exists(".claude"));
    Ok(())
}

/// A project with these hooks, committed, its clone, and a worktree of it.
fn shared(hooks: &[&str]) -> Result<(Project, [PathBuf; 2], String)> {
    let project = Project::named("main")?;
    let user = tempfile::tempdir()?;
    let path = text(project.path())?;
    let hooks: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    let said = xtask(user.path(), &[&["install", "--project", path], &hooks[..]].concat())?;
    project.git(&["add", "--all"])?;
    project.git(&["commit", "--quiet", "--message", "hooks"])?;
    assert_eq!(
        project.git(&["ls-files"])?,
        ".claude/hookkit.lock\n.claude/hookkit.sh\n.claude/hookkit.toml\n.claude/settings.json\n"
    );
    project.git(&["clone", "--quiet", ".", "../clone"])?;
    project.git(&["worktree", "add", "--quiet", "../worktree"])?;
    let outer = project.path().parent().context("it has a parent")?;
    let others = [outer.join("clone"), outer.join("worktree")];
    Ok((project, others, said))
}

#[test]
fn a_clone_refuses_where_the_author_wrote_so_and_a_worktree_has_the_hooks() -> Result<()> {
    let (_project, [clone, worktree], said) = shared(&["panic-anywhere", "failing-guard"])?;
    let told = "Claude Code refuses there what these are asked about: `panic-anywhere`.";
    assert!(said.contains(told), "{said}");
    const NAME: &str = "a_clone_refuses_where_the_author_wrote_so_and_a_worktree_has_the_hooks";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let (read, has_run) = run(Session::new(&client, &clone), &clone)?;
    assert!(!has_run && read.contains("onFailure is \"block\""), "{read}");
    let (read, has_run) = run(Session::new(&client, &worktree), &worktree)?;
    assert!(!has_run && !read.contains("onFailure"), "{read}");
    // Whoever installs there, too, has the hook's own word, and nothing to commit.
    let user = tempfile::tempdir()?;
    xtask(
        user.path(),
        &["install", "--project", text(&clone)?, "--hook", "failing-guard"],
    )?;
    assert!(clone.join(".claude/hookkit/fixture/bin/panic-anywhere").exists());
    let (read, has_run) = run(Session::new(&client, &clone), &clone)?;
    assert!(!has_run && !read.contains("onFailure"), "{read}");
    let status = std::process::Command::new("git")
        .args(["status", "--short"])
        .current_dir(&clone)
        .output()?;
    assert_eq!(String::from_utf8(status.stdout)?, "");
    Ok(())
}

#[test]
fn a_clone_goes_on_without_all_other_hooks_and_a_worktree_has_them() -> Result<()> {
    let (project, [clone, worktree], said) = shared(&["remind", "failing-guard"])?;
    assert!(!said.contains("refuses"), "{said}");
    let Some(client) = client::require("a_clone_goes_on_without_all_other_hooks_and_a_worktree_has_them") else {
        return Ok(());
    };
    assert_eq!(reminders(&write(&client, project.path())?), 1);
    for (folder, has_hooks) in [(&clone, false), (&worktree, true)] {
        assert_eq!(reminders(&write(&client, folder)?), usize::from(has_hooks));
        let (read, has_run) = run(Session::new(&client, folder), folder)?;
        assert_eq!(has_run, !has_hooks, "{folder:?}: {read}");
    }
    Ok(())
}

#[test]
fn the_user_s_own_settings_hold_in_every_project() -> Result<()> {
    let user = tempfile::tempdir()?;
    let user = user.path().canonicalize()?;
    let settings = user.join("settings.json");
    let before = "{ \"cleanupPeriodDays\": 30 }";
    fs::write(&settings, before)?;
    let here = ["--scope", "user"];
    xtask(
        &user,
        &[
            &["install", "--hook", "failing-guard", "--hook", "lenient-guard"],
            &here[..],
        ]
        .concat(),
    )?;
    let binary = user.join("hookkit/fixture/bin/failing-guard");
    let [handler] = &handlers(&settings, "failing-guard")?[..] else {
        panic!("one entry")
    };
    assert_eq!(handler["command"], text(&binary)?);
    assert_eq!(
        handler["onFailure"], "block",
        "nobody else has these settings without the binaries"
    );
    assert_eq!(handlers(&settings, "lenient-guard")?[0]["onFailure"], Value::Null);
    let listed = xtask(&user, &[&["list"], &here[..]].concat())?;
    assert!(
        listed.contains("\n  user: installed, ") && listed.contains("fixture_hooks::careful\n  not installed"),
        "{listed}"
    );

    if let Some(client) = client::require("the_user_s_own_settings_hold_in_every_project") {
        let project = Project::new()?;
        let session = || Session::new(&client, project.path()).config_dir(&user);
        let (read, has_run) = run(session(), project.path())?;
        assert!(!has_run && read.contains("the hook `failing-guard` failed"), "{read}");
        fs::remove_file(&binary)?;
        let (read, has_run) = run(session(), project.path())?;
        assert!(!has_run && read.contains("onFailure is \"block\""), "{read}");
    }
    // A home that is a project has one file for both, and the hooks are the user's.
    let home = Project::new()?;
    let claude = home.path().join(".claude");
    let said = xtask(&claude, &["install", "--project", text(home.path())?, "--hook", "hold"])?;
    assert!(said.contains("uninstall --scope user"), "{said}");
    assert_eq!(
        handlers(&claude.join("settings.json"), "hold")?[0]["command"],
        text(&claude.join("hookkit/fixture/bin/hold"))?
    );

    xtask(&user, &[&["uninstall"], &here[..]].concat())?;
    assert_eq!(fs::read_to_string(&settings)?, before);
    assert!(!user.join("hookkit").exists());
    Ok(())
}
