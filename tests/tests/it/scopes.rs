//! Whose settings hooks go into, and what becomes of them in clones and worktrees.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::{command, fixture, repository, xtask_ok};
use hookkit_tests::{Outcome, Project, Session, Turn, client};
use serde_json::{Value, json};

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a UTF-8 path")
}

/// Runs xtask for the fixture's hooks, with a folder for the user's settings that is not the machine's.
fn xtask(user: &Path, arguments: &[&str]) -> Result<String> {
    let output = command(fixture()?, arguments)?
        .env("CLAUDE_CONFIG_DIR", user)
        .output()?;
    let stderr = String::from_utf8(output.stderr)?;
    ensure!(output.status.success(), "{stderr}");
    Ok(String::from_utf8(output.stdout)?)
}

/// What xtask says when it refuses.
fn refused(user: &Path, arguments: &[&str]) -> Result<String> {
    match xtask(user, arguments) {
        Ok(said) => anyhow::bail!("not refused: {said}"),
        Err(err) => Ok(err.to_string()),
    }
}

/// The handlers that a settings file has for this hook.
fn handlers(file: &Path, hook: &str) -> Result<Vec<Value>> {
    let settings: Value = serde_json::from_slice(&fs::read(file)?)?;
    let lists = settings["hooks"]
        .as_object()
        .into_iter()
        .flat_map(|hooks| hooks.values());
    let groups = lists.flat_map(|list| list.as_array().into_iter().flatten());
    let handlers = groups.map(|group| group["hooks"][0].clone());
    let is_this = |handler: &Value| {
        let command = handler["command"].as_str().unwrap_or_default();
        command.rsplit('/').next() == Some(hook)
    };
    Ok(handlers.filter(is_this).collect())
}

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
    assert_eq!(project.git(&["ls-files"])?, ".claude/settings.json\n");
    project.git(&["clone", "--quiet", ".", "../clone"])?;
    project.git(&["worktree", "add", "--quiet", "../worktree"])?;
    let outer = project.path().parent().context("it has a parent")?;
    let others = [outer.join("clone"), outer.join("worktree")];
    Ok((project, others, said))
}

#[test]
fn a_clone_and_a_worktree_refuse_where_the_author_wrote_so() -> Result<()> {
    let (_project, others, said) = shared(&["panic-anywhere", "failing-guard"])?;
    let told = "Claude Code refuses what these are asked about: `panic-anywhere`.";
    assert!(said.contains(told), "{said}");
    let Some(client) = client::require("a_clone_and_a_worktree_refuse_where_the_author_wrote_so") else {
        return Ok(());
    };
    for folder in &others {
        let (read, has_run) = run(Session::new(&client, folder), folder)?;
        assert!(
            !has_run && read.contains("onFailure is \"block\""),
            "{folder:?}: {read}"
        );
    }
    // Whoever installs there, too, has the hook's own word, and nothing to commit.
    let user = tempfile::tempdir()?;
    let clone = &others[0];
    xtask(
        user.path(),
        &["install", "--project", text(clone)?, "--hook", "failing-guard"],
    )?;
    assert!(clone.join(".claude/hookkit/fixture/bin/panic-anywhere").exists());
    let (read, has_run) = run(Session::new(&client, clone), clone)?;
    assert!(!has_run && !read.contains("onFailure"), "{read}");
    let status = std::process::Command::new("git")
        .args(["status", "--short"])
        .current_dir(clone)
        .output()?;
    assert_eq!(String::from_utf8(status.stdout)?, "");
    Ok(())
}

#[test]
fn a_clone_and_a_worktree_go_on_without_all_other_hooks() -> Result<()> {
    let (project, others, said) = shared(&["remind", "failing-guard"])?;
    assert!(!said.contains("refuses"), "{said}");
    let Some(client) = client::require("a_clone_and_a_worktree_go_on_without_all_other_hooks") else {
        return Ok(());
    };
    assert_eq!(reminders(&write(&client, project.path())?), 1);
    for folder in &others {
        assert_eq!(reminders(&write(&client, folder)?), 0);
        let (read, has_run) = run(Session::new(&client, folder), folder)?;
        assert!(has_run, "{folder:?}: {read}");
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
        listed.contains("\n  user: up to date, ") && listed.contains("fixture_hooks::careful\n  not installed"),
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

#[test]
fn a_settings_file_of_another_name_is_a_place_of_its_own() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path().canonicalize()?;
    let file = folder.join("-team \"one\".json");
    let here = ["--settings", text(&file)?];
    xtask(&folder, &[&["install", "--hook", "hold"], &here[..]].concat())?;
    let said = xtask(&folder, &["install", "--scope", "user", "--hook", "hold"])?;
    assert!(
        !said.contains("run twice"),
        "what a session is given cannot be known: {said}"
    );
    let binary = folder.join("hookkit/fixture@-team \"one\".json/bin/hold");
    assert_eq!(handlers(&file, "hold")?[0]["command"], text(&binary)?);
    assert!(binary.is_file());

    // A project's own file is the project's, however it is named.
    let project = Project::new()?;
    let settings = project.path().join(".claude/settings.json");
    xtask(&folder, &["install", "--hook", "hold", "--settings", text(&settings)?])?;
    assert_eq!(
        handlers(&settings, "hold")?[0]["command"],
        "${CLAUDE_PROJECT_DIR}/.claude/hookkit/fixture/bin/hold"
    );

    xtask(&folder, &[&["uninstall"], &here[..]].concat())?;
    assert!(!file.exists() && folder.join("hookkit/fixture/bin/hold").is_file());
    xtask(&folder, &["uninstall", "--scope", "user"])?;
    assert_eq!(fs::read_dir(&folder)?.count(), 0);
    let nowhere = folder.join("nowhere/settings.json");
    assert!(refused(&folder, &["install", "--settings", text(&nowhere)?])?.contains("there is no folder"));
    Ok(())
}

#[test]
fn two_workspaces_in_one_project_never_touch_each_other() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = tempfile::tempdir()?;
    xtask(user.path(), &["install", "--project", path, "--hook", "hold"])?;
    xtask_ok(
        repository(),
        &["install", "--project", path, "--pack", "hookkit-quality"],
    )?;
    let settings = project.path().join(".claude/settings.json");
    assert_eq!(handlers(&settings, "format-on-edit")?.len(), 1);
    assert!(handlers(&settings, "protect-secrets")?.is_empty(), "of another pack");
    xtask(user.path(), &["uninstall", "--project", path])?;
    assert!(handlers(&settings, "hold")?.is_empty());
    let [handler] = &handlers(&settings, "format-on-edit")?[..] else {
        panic!("one entry")
    };
    let command = handler["command"].as_str().unwrap_or_default();
    assert!(Path::new(&command.replace("${CLAUDE_PROJECT_DIR}", path)).is_file());
    xtask_ok(repository(), &["uninstall", "--project", path])?;
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn what_is_chosen_comes_beside_what_is_there() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = tempfile::tempdir()?;
    let install = |arguments: &[&str]| xtask(user.path(), &[&["install", "--project", path], arguments].concat());
    install(&["--hook", "hold"])?;
    let said = install(&["--hook", "careful", "--hook", "remind"])?;
    assert!(said.starts_with("Installed 3 hooks"), "{said}");
    let mut binaries: Vec<_> = fs::read_dir(project.path().join(".claude/hookkit/fixture/bin"))?
        .map(|file| Ok(file?.file_name()))
        .collect::<Result<_>>()?;
    binaries.sort();
    assert_eq!(binaries, ["careful", "hold", "remind"]);
    let told = refused(user.path(), &["install", "--project", path, "--hook", "hodl"])?;
    assert!(told.contains("no hook `hodl`") && told.contains("`hold`"), "{told}");
    let told = refused(user.path(), &["install", "--project", path, "--pack", "fixture"])?;
    assert!(
        told.contains("no pack `fixture`") && told.contains("`fixture-hooks`"),
        "{told}"
    );
    Ok(())
}

#[test]
fn a_project_within_a_repository_is_told_from_its_root() -> Result<()> {
    let project = Project::new()?;
    let user = tempfile::tempdir()?;
    let inner = project.path().join("packages/app");
    fs::create_dir_all(&inner)?;
    let said = xtask(user.path(), &["install", "--hook", "hold", "--project", text(&inner)?])?;
    assert!(said.contains("only sessions that are started in it run them"), "{said}");
    assert!(inner.join(".claude/settings.json").is_file());

    // Without the option it is the root, from wherever it is called.
    let manifest = format!(
        "[workspace]\n[package]\nname = \"pack\"\nedition = \"2024\"\n[dependencies]\nhookkit.path = {:?}\n",
        repository().join("hookkit")
    );
    project.write("Cargo.toml", manifest)?;
    project.write("src/lib.rs", "")?;
    let said = xtask_ok(&project.path().join("src"), &["uninstall"])?;
    let root = project.path().join(".claude/settings.json");
    assert!(said.ends_with(&format!("in {}.\n", root.display())), "{said}");
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn what_is_not_ours_to_write_is_left_alone() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = tempfile::tempdir()?;
    project.write(".claude/settings.json", "{}")?;
    let (folder, file) = (
        project.path().join(".claude"),
        project.path().join(".claude/settings.json"),
    );
    let refuses = |mend: &str| -> Result<()> {
        let before = fs::metadata(&file)?.modified()?;
        for command in ["install", "uninstall"] {
            let told = refused(user.path(), &[command, "--project", path])?;
            ensure!(told.contains(mend), "{command}: {told}");
        }
        ensure!(
            fs::read(&file)? == b"{}" && fs::metadata(&file)?.modified()? == before,
            "touched"
        );
        ensure!(fs::read_dir(&folder)?.count() == 1, "something was left");
        Ok(())
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444))?;
    refuses(&format!(
        "read-only, so nothing was changed; make it writable first: chmod u+w {path}/.claude/settings.json"
    ))?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555))?;
    refuses(&format!("chmod u+w {path}/.claude\n"))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
    // Only root can give a file away.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_ok() {
        refuses("belongs to another user (id 12345, ")?;
    }
    Ok(())
}
