//! Hooks in the settings of each scope, in clones and in worktrees, in the real client.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::{as_user as xtask, handlers};

/// Runs a session that writes a Rust file, on which `remind` prints a reminder.
fn write(client: &Path, project: &Path) -> Result<Outcome> {
    let file = project.join("new.rs");
    let _ = fs::remove_file(&file);
    let outcome = Session::new(client, project)
        .allow(&["Write"])
        .turn(Turn::call("Write", json!({"file_path": file, "content": "fn main() {}\n"})))
        .go()?;
    ensure!(file.exists(), "not written: {:?}", outcome.tool_results());
    Ok(outcome)
}

/// Returns how often `remind` printed its reminder.
fn reminders(outcome: &Outcome) -> usize {
    let responses = outcome.hook_responses();
    let reminds = |stdout: &str| stdout.contains("remember to run the tests");
    responses.iter().filter(|response| reminds(&response.stdout)).count()
}

/// Runs a session with one command. Returns its tool result, and `true` if it ran.
fn run(session: Session, project: &Path) -> Result<(String, bool)> {
    let outcome = session.allow(&["Bash"]).turn(Turn::bash("echo hello | tee ran.txt")).go()?;
    let result = outcome.tool_results().into_iter().next();
    Ok((result.unwrap_or_default(), project.join("ran.txt").exists()))
}

#[test]
fn a_path_may_have_blanks_quotes_and_umlauts() -> Result<()> {
    let project = Project::named("it's a \"test\" päth")?;
    let user = test_support::folder();
    let path = text(project.path())?;
    let client = client::require("a_path_may_have_blanks_quotes_and_umlauts");

    let printed = xtask(user.path(), &["install", "--project", path, "--hook", "remind"])?;
    let quoted = format!("'{}'", path.replace('\'', "'\\''"));
    printed.has(&format!("uninstall --project {quoted}\n"));
    if let Some(client) = &client {
        assert_eq!(reminders(&write(client, project.path())?), 1);
    }

    // The local settings contain the absolute path.
    let local = ["--scope", "local", "--project", path];
    let printed = xtask(user.path(), &[&["install", "--hook", "remind"], &local[..]].concat())?;
    printed.has("run twice");
    printed.has("`remind`");
    let command = handlers(&project.path().join(".claude/settings.local.json"), "remind")?[0]["command"].clone();
    assert_eq!(command, format!("{path}/.claude/hookkit/fixture@settings.local.json/bin/remind"));
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

/// Returns a project with these hooks, committed; its clone and a linked worktree; and the output of `install`.
fn shared(hooks: &[&str]) -> Result<(Project, [PathBuf; 2], String)> {
    let project = Project::named("main")?;
    let user = test_support::folder();
    let path = text(project.path())?;
    let hooks: Vec<&str> = hooks.iter().flat_map(|hook| ["--hook", hook]).collect();
    let printed = xtask(user.path(), &[&["install", "--project", path], &hooks[..]].concat())?;
    project.git(&["add", "--all"])?;
    project.git(&["commit", "--quiet", "--message", "hooks"])?;
    assert_eq!(
        project.git(&["ls-files"])?,
        ".claude/hookkit.lock\n.claude/hookkit.sh\n.claude/hookkit.toml\n.claude/settings.json\n"
    );
    project.git(&["clone", "--quiet", ".", "../clone"])?;
    project.git(&["worktree", "add", "--quiet", "../worktree"])?;
    let outer = project.path().parent().context("a parent folder")?;
    let others = [outer.join("clone"), outer.join("worktree")];
    Ok((project, others, printed))
}

#[test]
fn a_clone_denies_by_on_failure_and_a_worktree_has_the_hooks() -> Result<()> {
    let (_project, [clone, worktree], printed) = shared(&["panic-anywhere", "failing-guard"])?;
    printed.has("Claude Code blocks the calls there that these hooks check: `panic-anywhere`.");
    let client = client!("a_clone_denies_by_on_failure_and_a_worktree_has_the_hooks");
    let (read, has_run) = run(Session::new(&client, &clone), &clone)?;
    assert!(!has_run && read.contains("onFailure is \"block\""), "{read}");
    let (read, has_run) = run(Session::new(&client, &worktree), &worktree)?;
    assert!(!has_run && !read.contains("onFailure"), "{read}");
    // After `install` in the clone, the hook itself answers, and there is nothing to commit.
    let user = test_support::folder();
    let arguments = ["install", "--project", text(&clone)?, "--hook", "failing-guard"];
    xtask(user.path(), &arguments)?;
    assert!(clone.join(".claude/hookkit/fixture/bin/panic-anywhere").exists());
    let (read, has_run) = run(Session::new(&client, &clone), &clone)?;
    assert!(!has_run && !read.contains("onFailure"), "{read}");
    assert_eq!(test_support::git(&clone, &["status", "--short"]), "");
    Ok(())
}

#[test]
fn a_clone_continues_without_other_hooks_and_a_worktree_has_them() -> Result<()> {
    let (project, [clone, worktree], printed) = shared(&["remind", "failing-guard"])?;
    assert!(!printed.contains("denies"), "{printed}");
    let client = client!("a_clone_continues_without_other_hooks_and_a_worktree_has_them");
    assert_eq!(reminders(&write(&client, project.path())?), 1);
    for (folder, has_hooks) in [(&clone, false), (&worktree, true)] {
        assert_eq!(reminders(&write(&client, folder)?), usize::from(has_hooks));
        let (read, has_run) = run(Session::new(&client, folder), folder)?;
        assert_eq!(has_run, !has_hooks, "{folder:?}: {read}");
    }
    Ok(())
}

#[test]
fn user_settings_apply_in_every_project() -> Result<()> {
    let user = test_support::folder();
    let user = user.path().canonicalize()?;
    let settings = user.join("settings.json");
    let before = "{ \"cleanupPeriodDays\": 30 }";
    fs::write(&settings, before)?;
    let here = ["--scope", "user"];
    let install = ["install", "--hook", "failing-guard", "--hook", "lenient-guard"];
    xtask(&user, &[&install[..], &here].concat())?;
    let binary = user.join("hookkit/fixture/bin/failing-guard");
    let [handler] = &handlers(&settings, "failing-guard")?[..] else { panic!("not one entry") };
    assert_eq!(handler["command"], text(&binary)?);
    let found = &handler["onFailure"];
    assert_eq!(*found, "block", "user settings are never without the binaries");
    assert_eq!(handlers(&settings, "lenient-guard")?[0]["onFailure"], Value::Null);
    let listed = xtask(&user, &[&["list"], &here[..]].concat())?;
    listed.has("\n  user: installed, ");
    listed.has("fixture_hooks::careful\n  not installed");

    if let Some(client) = client::require("user_settings_apply_in_every_project") {
        let project = Project::new()?;
        let session = || Session::new(&client, project.path()).config_dir(&user);
        let (read, has_run) = run(session(), project.path())?;
        assert!(!has_run && read.contains("the hook `failing-guard` failed"), "{read}");
        fs::remove_file(&binary)?;
        let (read, has_run) = run(session(), project.path())?;
        assert!(!has_run && read.contains("onFailure is \"block\""), "{read}");
    }
    // If the home folder is a project, both scopes share a file, and the hooks are in user scope.
    let home = Project::new()?;
    let claude = home.path().join(".claude");
    let printed = xtask(&claude, &["install", "--project", text(home.path())?, "--hook", "hold"])?;
    assert!(printed.contains("uninstall --scope user"), "{printed}");
    let found = &handlers(&claude.join("settings.json"), "hold")?[0]["command"];
    assert_eq!(*found, text(&claude.join("hookkit/fixture/bin/hold"))?);

    xtask(&user, &[&["uninstall"], &here[..]].concat())?;
    assert_eq!(fs::read_to_string(&settings)?, before);
    assert!(!user.join("hookkit").exists());
    Ok(())
}
