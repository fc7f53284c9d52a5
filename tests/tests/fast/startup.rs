//! `.claude/hookkit.sh`, which looks for the programs of a project's hooks as a session starts.

use std::time::Instant;

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::on_project;

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
    start_by("", project)
}

/// Runs it as the client does that names itself so.
fn start_by(client: &str, project: &Path) -> Result<Value> {
    let settings: Value = serde_json::from_slice(&fs::read(project.join(".claude/settings.json"))?)?;
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    ensure!(handler["args"].is_null(), "a shell runs it: {handler}");
    let [stdout, stderr] = Command::new("/bin/sh")
        .args(["-c", handler["command"].as_str().context("a command")?])
        .current_dir(project)
        .env("CLAUDE_PROJECT_DIR", project)
        // As a hook of git that starts the client has them.
        .env("GIT_DIR", "/nowhere")
        .env("AI_AGENT", client)
        .both(0)?;
    ensure!(stderr.is_empty(), "{stderr}");
    match stdout.is_empty() {
        true => Ok(Value::Null),
        false => Ok(serde_json::from_str(&stdout)?),
    }
}

/// Adds a worktree of a project's repository next to it, and returns its path.
fn worktree(project: &Project) -> Result<PathBuf> {
    project.git(&["worktree", "add", "--quiet", "--detach", "../tree"])?;
    Ok(project.path().with_file_name("tree"))
}

/// Returns what is said of hooks without programs.
fn missing(hooks: &str) -> Value {
    let said = format!(
        "Hooks of this project, those of fixture, are not built on this machine: {hooks}. They do not run; Claude Code denies \
         the calls of those that have onFailure in settings.json. To build them, run in the project: cargo xtask sync, or \
         cargo-hookkit sync"
    );
    json!({
        "systemMessage": said,
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": said},
    })
}

#[test]
fn a_clone_is_reported_which_hooks_it_does_not_have() -> Result<()> {
    let (project, _) = shared("")?;
    assert_eq!(start(project.path())?, Value::Null);
    let hold = project.path().join(BIN).join("hold");
    fs::remove_file(&hold)?;
    assert_eq!(start(project.path())?, missing("hold"));
    fs::create_dir(&hold)?;
    assert_eq!(start(project.path())?, missing("hold"));
    // A checkout may have other line ends.
    let lock = project.read(".claude/hookkit.lock")?;
    project.write(".claude/hookkit.lock", lock.replace('\n', "\r\n"))?;
    assert_eq!(start(project.path())?, missing("hold"));
    let clone = Project::named("clone")?;
    let url = text(project.path())?;
    clone.git(&["clone", "--quiet", url, "app"])?;
    assert_eq!(start(&clone.path().join("app"))?, missing("careful, hold"));
    Ok(())
}

#[test]
fn a_client_is_reported_that_is_older_than_the_hooks_are_for() -> Result<()> {
    let (project, _) = shared("")?;
    let lock = project.read(".claude/hookkit.lock")?;
    let with = |least: &str| {
        let line = format!("\n    \"min-client\": \"{least}\",\n    \"hooks\": {{");
        let text = lock.replace("\n    \"hooks\": {", &line);
        ensure!(text != lock, "{lock}");
        project.write(".claude/hookkit.lock", text)
    };
    let said = |client: &str| -> Result<Option<String>> {
        let answer = start_by(client, project.path())?;
        Ok(answer["systemMessage"].as_str().map(str::to_owned))
    };
    let old = "The Claude Code of this session is older than 2.1.299, the min-client of the hooks of fixture: they may not run, \
               or not block, as they should. To update it, run: claude update";
    with("2.1.299")?;
    let clients = lines!("lines/clients.txt");
    clients.check_section("older than 2.1.299", |client| match said(client).expect(client) {
        Some(text) if text == old => "older".to_owned(),
        other => other.map_or("-".to_owned(), |text| text),
    });
    assert_eq!(said("")?, None);
    // Next to hooks that are not built.
    fs::remove_file(project.path().join(BIN).join("hold"))?;
    let both = said("claude-code_2-1-200_harness")?.unwrap_or_default();
    both.has("are not built");
    both.ends(&format!(". {old}"));
    project.write(".claude/hookkit.lock", &lock)?;
    xtask_ok(fixture()?, &["install", "--project", text(project.path())?])?;
    for least in clients.section("versions that are not one").lines() {
        with(least)?;
        assert_eq!(said("claude-code_2-1-200_harness")?, None, "{least}");
        assert!(!project.exists("canary"));
    }
    Ok(())
}

#[test]
fn a_worktree_has_the_programs_of_the_main_one() -> Result<()> {
    for within in ["", "of a/project"] {
        let (project, folder) = shared(within)?;
        let tree = worktree(&project)?;
        let place = tree.join(within);
        assert_eq!(start(&place)?, Value::Null);
        for hook in ["careful", "hold"] {
            let found = fs::read(place.join(BIN).join(hook))?;
            assert_eq!(found, fs::read(folder.join(BIN).join(hook))?);
        }
        let status = project.git(&["-C", text(&tree)?, "status", "--short", "--untracked-files=all"])?;
        assert_eq!(status, "");
        // What is there is what this machine has installed.
        let path = text(&place)?;
        xtask_ok(fixture()?, &["doctor", "--project", path])?;
        let hold = place.join(BIN).join("hold");
        fs::write(&hold, "another")?;
        xtask(fixture()?, &["doctor", "--project", path])?.out(1)?;
        // Also if another program changed it: it stays until there is another release.
        start(&place)?;
        assert_eq!(fs::read_to_string(&hold)?, "another");
        fs::write(place.join(".claude/hookkit/fixture/built"), "of before\n")?;
        assert_eq!(start(&place)?, Value::Null);
        assert_eq!(fs::read(&hold)?, fs::read(folder.join(BIN).join("hold"))?);
        // The main one is behind, too.
        for folder in [&place, &folder] {
            fs::write(folder.join(".claude/hookkit/fixture/built"), "of before\n")?;
        }
        let answer = start(&place)?;
        let said = answer["systemMessage"].as_str().unwrap_or_default();
        said.has("those of fixture, are not those of hookkit.lock");
        xtask_ok(fixture()?, &["uninstall", "--project", path])?;
        assert!(!place.join(".claude/hookkit").exists() && folder.join(BIN).join("hold").exists());
    }
    Ok(())
}

#[test]
fn a_hook_that_is_off_is_on_in_a_new_worktree() -> Result<()> {
    let (project, folder) = shared("")?;
    let hold = folder.join(BIN).join("hold");
    let program = fs::read(&hold)?;
    fs::rename(&hold, hold.with_extension("paused"))?;
    fs::write(&hold, "#!/bin/sh\n")?;
    fs::set_permissions(&hold, fs::metadata(hold.with_extension("paused"))?.permissions())?;
    let tree = worktree(&project)?;
    assert_eq!(start(&tree)?, Value::Null);
    assert_eq!(fs::read(tree.join(BIN).join("hold"))?, program);
    let found = fs::read_dir(tree.join(BIN))?.count();
    assert_eq!(found, fs::read_dir(folder.join(BIN))?.count() - 1);
    Ok(())
}

#[test]
fn a_worktree_with_other_hooks_gets_no_programs() -> Result<()> {
    let (project, _) = shared("")?;
    let tree = worktree(&project)?;
    let lock = tree.join(".claude/hookkit.lock");
    fs::write(&lock, fs::read_to_string(&lock)?.replace("\"Edit|Write\"", "\"Edit\""))?;
    assert_eq!(start(&tree)?, missing("careful, hold"));
    assert!(!tree.join(".claude/hookkit").exists());
    Ok(())
}

#[test]
fn no_link_is_followed_out_of_a_worktree() -> Result<()> {
    let within = [".claude/hookkit", ".claude/hookkit/.gitignore", ".claude/hookkit/fixture"];
    for link in [".claude", BIN].into_iter().chain(within) {
        let (project, _) = shared("")?;
        let tree = worktree(&project)?;
        let outside = project.path().with_file_name("outside");
        fs::create_dir(&outside)?;
        let link = tree.join(link);
        if link.is_dir() {
            // All that the script reads is there, too.
            fs::remove_dir(&outside)?;
            fs::rename(&link, &outside)?;
        }
        let before = fs::read_dir(&outside)?.count();
        fs::create_dir_all(link.parent().context("a folder")?)?;
        match link.ends_with(".gitignore") {
            true => symlink(outside.join("file"), &link)?,
            false => symlink(&outside, &link)?,
        }
        assert_eq!(start(&tree)?, missing("careful, hold"), "{}", link.display());
        assert_eq!(fs::read_dir(&outside)?.count(), before, "{}", link.display());
    }
    Ok(())
}

#[test]
fn a_link_with_the_name_of_a_program_is_replaced() -> Result<()> {
    let (project, _) = shared("")?;
    let tree = worktree(&project)?;
    let outside = project.path().with_file_name("outside");
    fs::create_dir(&outside)?;
    fs::create_dir_all(tree.join(BIN))?;
    symlink(&outside, tree.join(BIN).join("hold"))?;
    start(&tree)?;
    assert_eq!(fs::read_dir(&outside)?.count(), 0);
    let program = tree.join(BIN).join("hold").symlink_metadata()?;
    // Without `mv -T` it stays, and is reported.
    assert!(program.is_file() || cfg!(not(target_os = "linux")), "{program:?}");
    Ok(())
}

#[test]
fn no_session_waits_for_a_lock_that_is_made_to_be_slow() -> Result<()> {
    let (project, _) = shared("")?;
    let lock = project.read(".claude/hookkit.lock")?;
    let named = |names: &str| lock.replace("\"hold\": [", &format!("\"{names}\": ["));
    let many: Vec<String> = (0..10_000).map(|number| format!("hook{number}")).collect();
    let locks = [
        named(&"a".repeat(100_000)),
        named(&many.join("\": [\n        ],\n      \"")),
        format!("{lock}{}", "\"".repeat(3_000_000)),
    ];
    for lock in locks {
        project.write(".claude/hookkit.lock", lock)?;
        let began = Instant::now();
        start(project.path())?;
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    }
    let lock = project.path().join(".claude/hookkit.lock");
    fs::remove_file(&lock)?;
    ensure!(Command::new("mkfifo").arg(&lock).status()?.success());
    start(project.path())?.to_string().has("hookkit.lock of this project is missing");
    Ok(())
}

#[test]
fn a_name_that_is_none_is_refused() -> Result<()> {
    let (project, _) = shared("")?;
    for name in ["", "..", "../fixture", "a/b", "a\"b", "a\\b", "a\nb"] {
        let mut shell = Command::new("/bin/sh");
        shell.arg(project.path().join(".claude/hookkit.sh")).arg(name);
        let printed = shell.env("CLAUDE_PROJECT_DIR", project.path()).out(1)?;
        ensure!(printed.is_empty(), "{name:?}: {printed}");
    }
    Ok(())
}

#[test]
fn the_script_of_a_later_version_stays() -> Result<()> {
    let (project, _) = shared("")?;
    let script = project.read(".claude/hookkit.sh")?;
    for (number, stays) in [("Format 4:", false), ("Format 6:", true)] {
        let other = script.replace("Format 5:", number);
        project.write(".claude/hookkit.sh", &other)?;
        xtask_ok(fixture()?, &["install", "--project", text(project.path())?])?;
        assert_eq!(project.read(".claude/hookkit.sh")? == other, stays);
    }
    Ok(())
}

/// git takes a folder with these files for a repository.
#[test]
fn a_repository_that_a_checkout_brings_is_not_a_main_one() -> Result<()> {
    let (project, _) = shared("")?;
    let clone = Project::named("clone")?;
    clone.git(&["clone", "--quiet", text(project.path())?, "app"])?;
    let app = clone.path().join("app");
    fs::create_dir_all(app.join("main/.git/worktrees"))?;
    fs::create_dir_all(app.join("main/.claude"))?;
    fs::rename(project.path().join(".claude/hookkit"), app.join("main/.claude/hookkit"))?;
    for name in ["hookkit.lock", "HEAD", "config", "commondir"] {
        let text = match name {
            "hookkit.lock" => fs::read_to_string(app.join(".claude/hookkit.lock"))?,
            "HEAD" => "ref: refs/heads/main\n".to_owned(),
            "config" => "[core]\n\tbare = false\n".to_owned(),
            _ => "../main/.git\n".to_owned(),
        };
        fs::write(app.join("main/.claude").join(name), &text)?;
        fs::write(app.join(".claude").join(name), text)?;
    }
    assert_eq!(start(&app)?, missing("careful, hold"));
    assert!(!app.join(".claude/hookkit").exists());
    Ok(())
}

#[test]
fn a_lock_that_was_changed_puts_nothing_into_the_answer() -> Result<()> {
    let (project, _) = shared("")?;
    let lock = project.read(".claude/hookkit.lock")?;
    for name in ["a\\\"b", "$(touch canary)", "`touch canary`", "../../x", "-x y", "\u{1b}[1m"] {
        let content = lock.replace("\"hold\": [", &format!("\"{name}\": ["));
        project.write(".claude/hookkit.lock", content)?;
        assert_eq!(start(project.path())?, Value::Null, "{name}");
        assert!(!project.exists("canary"));
    }
    project.write(".claude/hookkit.lock", "{}\n")?;
    let answer = start(project.path())?;
    let said = answer["systemMessage"].as_str().unwrap_or_default();
    said.starts("hookkit.lock of this project does not name fixture, ");
    fs::remove_file(project.path().join(".claude/hookkit.lock"))?;
    let answer = start(project.path())?;
    let said = answer["systemMessage"].as_str().unwrap_or_default();
    said.starts("hookkit.lock of this project is missing");
    on_project(&project, "uninstall")?;
    Ok(())
}
