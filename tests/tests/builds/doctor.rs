//! `cargo xtask doctor` on installed hooks.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hookkit_tests::World;
use hookkit_tests::workspace::{fixture, install};
use hookkit_tests::xtask::{command, findings, installed, record, repository, xtask_ok};
use serde_json::{Value, json};
use test_support::Has;

#[test]
fn installed_hooks_of_this_repository_have_no_findings() -> Result<()> {
    let world = World::new()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    xtask_ok(repository(), &["install", "--project", path])?;
    let answer = world.ask(&[])?;
    assert_eq!(
        (answer.exit_code, answer.findings()),
        (Some(0), vec![]),
        "{}",
        answer.stderr
    );
    Ok(())
}

#[test]
fn installed_hooks_are_run_and_reported_if_they_are_broken() -> Result<()> {
    let world = World::new()?;
    let hooks = fixture()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    install("doctor-hooks", &world.project)?;
    let answer = world.ask(&[])?;
    assert_eq!(
        (answer.exit_code, answer.findings()),
        (Some(0), vec![]),
        "{}",
        answer.stderr
    );
    let text = world.text(&["--client-binary", "/bin/false"])?;
    text.ends(": 3 hooks in 1 file; tried 2 of them, which `install` wrote\n");
    let local = ["--scope", "local", "--project", path];
    xtask_ok(hooks, &[&["install", "--hook", "fine"], &local[..]].concat())?;
    let twice = world.ask(&[])?;
    let expected = "`fine` is also installed in another settings file";
    assert!(
        twice.findings().iter().any(|(_, what)| *what == expected),
        "{:?}",
        twice.findings()
    );
    xtask_ok(hooks, &[&["uninstall"], &local[..]].concat())?;
    let trials = answer.rows.iter().filter(|row| row["kind"] == "trial");
    let trials: Vec<_> = trials
        .map(|row| (row["hook"].as_str(), row["stdin"].as_str(), row["exit_code"].as_i64()))
        .collect();
    let trial = |hook, stdin, code| (Some(hook), Some(stdin), Some(code));
    let expected = [
        trial("fine", "recorded", 0),
        trial("fine", "empty", 1),
        trial("guard-commands", "recorded", 0),
        trial("guard-commands", "empty", 2),
    ];
    assert_eq!(trials, expected);

    let check = || -> Result<Vec<Value>> {
        let output = command(hooks, &["doctor", "--check", "--json", "--project", path])?
            .env("CLAUDE_CONFIG_DIR", world.user.path())
            .output()?;
        findings(&output)
    };
    assert_eq!(check()?, Vec::<Value>::new());
    let guard_commands = installed(world.project.path(), "guard-commands")?;
    let is_reported = |expected: &str| -> Result<()> {
        let answer = world.ask(&[])?;
        let findings = answer.findings();
        ensure!(
            answer.exit_code == Some(1) && findings.iter().any(|(_, what)| what.contains(expected)),
            "{expected}: {findings:?}"
        );
        Ok(())
    };
    let write = |text: &str| -> Result<()> {
        let _ = fs::remove_file(&guard_commands);
        fs::write(&guard_commands, text)?;
        Ok(fs::set_permissions(&guard_commands, Permissions::from_mode(0o755))?)
    };
    // Installs a text as the hook's binary.
    let install = |text: &str| -> Result<()> {
        write(text)?;
        let note = record(world.project.path(), "fixture")?;
        let mut record: Value = serde_json::from_slice(&fs::read(&note)?)?;
        let sha256 = hmac_sha256::Hash::hash(text.as_bytes());
        let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        record["binaries"]["guard-commands"] = json!([sha256]);
        Ok(fs::write(note, record.to_string())?)
    };
    let folder = guard_commands.parent().context("a parent folder")?;
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode));
    mode(&guard_commands, 0o644)?;
    is_reported("is not executable")?;
    mode(&guard_commands, 0o757)?;
    is_reported("every user can write to `")?;
    mode(&guard_commands, 0o755)?;
    mode(folder, 0o777)?;
    is_reported("every user can write to the folder")?;
    mode(folder, 0o755)?;
    mode(world.project.path(), 0o777)?;
    is_reported("every user can write to the folder")?;
    mode(world.project.path(), 0o755)?;
    // Only root can assign a group that it is not in.
    if chown(folder, None, Some(12345)).is_ok() {
        mode(folder, 0o775)?;
        is_reported("the group with the id 12345 can write to the folder")?;
        chown(folder, None, Some(fs::metadata(world.project.path())?.gid()))?;
        mode(folder, 0o755)?;
    }
    let other = folder.with_file_name("notes.txt");
    fs::hard_link(&guard_commands, &other)?;
    is_reported("the binary of `guard-commands` can be changed by other users, or under another name")?;
    fs::remove_file(&other)?;
    let output = world
        .doctor(&["--json", "--managed"])?
        .arg(world.managed.path())
        .env("XDG_STATE_HOME", world.project.path().join("state"))
        .output()?;
    let answer = String::from_utf8(output.stdout)?;
    let expected = "it is not known whether `fine` was installed here: the folder for what is noted about installed hooks is in \
                    the project";
    assert!(answer.contains(expected), "{answer}");
    let canary = world.user.path().join("canary");
    write(&format!("#!/bin/sh\ntouch '{}'\n", canary.display()))?;
    is_reported("the binary of `guard-commands` has changed since `install`")?;
    assert!(!canary.exists(), "a replaced binary was run");
    install("#!/nowhere\n")?;
    is_reported("`guard-commands` cannot be started")?;
    install("#!/bin/sh\nkill -9 $$\n")?;
    is_reported("`guard-commands` crashed on a recorded PreToolUse Bash")?;
    is_reported("`guard-commands` crashed on empty input")?;
    install("#!/bin/sh\necho '{\"decision\": 1}'\n")?;
    is_reported("the answer of `guard-commands` to a recorded PreToolUse Bash is ignored")?;
    is_reported("`guard-commands` exits with 0 on empty input")?;
    let expected = "`guard-commands` is not up to date: its binary was not built from the current source";
    assert!(check()?.iter().any(|row| row["what"] == expected));
    fs::remove_file(&guard_commands)?;
    is_reported("the binary of `guard-commands` is missing")?;
    Ok(())
}

/// Applies the fix of a finding: removes the folder that it names, and runs its command.
fn follow(fix: &str) -> Result<()> {
    if let Some((path, _)) = fix.strip_prefix("remove ").and_then(|rest| rest.split_once(", and ")) {
        fs::remove_dir(path)?;
    }
    let command = fix.split('`').nth(1).with_context(|| fix.to_owned())?;
    let Some(arguments) = command.strip_prefix("cargo xtask ") else {
        let done = Command::new("/bin/sh").args(["-c", command]).status()?;
        ensure!(done.success(), "{command}");
        return Ok(());
    };
    let mut arguments: Vec<&str> = arguments.split(' ').collect();
    // The workspace of the tests has many packs, which take minutes.
    if arguments[0] == "install" {
        arguments.extend(["--pack", "doctor-hooks"]);
    }
    xtask_ok(fixture()?, &arguments).map(drop)
}

#[test]
fn fixes_of_installed_hooks_remove_the_findings() -> Result<()> {
    let world = World::new()?;
    install("doctor-hooks", &world.project)?;
    let project = world.project.path();
    let path = project.to_str().context("a UTF-8 path")?;
    let guard_commands = installed(project, "guard-commands")?;
    let bin = guard_commands.parent().context("a parent folder")?.to_owned();
    let settings = project.join(".claude/settings.json");
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode)).map_err(Into::into);
    let other = |text: &str| -> Result<()> {
        fs::remove_file(&guard_commands)?;
        fs::write(&guard_commands, text)?;
        mode(&guard_commands, 0o755)
    };
    // Installs a text as the hook's binary.
    let of_source = |text: &str| -> Result<()> {
        other(text)?;
        let note = record(project, "fixture")?;
        let mut record: Value = serde_json::from_slice(&fs::read(&note)?)?;
        let sha256 = hmac_sha256::Hash::hash(text.as_bytes());
        let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
        record["binaries"]["guard-commands"] = json!([sha256]);
        Ok(fs::write(note, record.to_string())?)
    };
    type Break<'b> = Box<dyn Fn() -> Result<()> + 'b>;
    let broken: Vec<(&str, Break<'_>)> = vec![
        ("is not executable", Box::new(|| mode(&guard_commands, 0o644))),
        ("every user can write to `", Box::new(|| mode(&guard_commands, 0o757))),
        ("every user can write to the folder", Box::new(|| mode(&bin, 0o777))),
        ("every user can write to the folder", Box::new(|| mode(project, 0o777))),
        (
            "the binary of `guard-commands` has changed since `install`",
            Box::new(|| other("#!/bin/sh\nexit 0\n")),
        ),
        (
            "the binary of `guard-commands` is missing",
            Box::new(|| Ok(fs::remove_file(&guard_commands)?)),
        ),
        (
            "there is a folder in place of the binary of `guard-commands`",
            Box::new(|| {
                fs::remove_file(&guard_commands)?;
                Ok(fs::create_dir(&guard_commands)?)
            }),
        ),
        (
            "can be changed by other users, or under another name",
            Box::new(|| Ok(fs::hard_link(&guard_commands, bin.with_file_name("notes.txt"))?)),
        ),
        (
            "`guard-commands` cannot be started",
            Box::new(|| of_source("#!/nowhere\n")),
        ),
        (
            "`guard-commands` crashed on a recorded",
            Box::new(|| of_source("#!/bin/sh\nkill -9 $$\n")),
        ),
        (
            "to a recorded PreToolUse Bash is ignored",
            Box::new(|| of_source("#!/bin/sh\necho '{\"decision\": 1}'\n")),
        ),
        (
            "`guard-commands` exits with 0 on empty input",
            Box::new(|| of_source("#!/bin/sh\nexit 0\n")),
        ),
        (
            "the entry of `guard-commands` has changed since `install`",
            Box::new(|| {
                let text = fs::read_to_string(&settings)?;
                Ok(fs::write(
                    &settings,
                    text.replacen("/bin/guard-commands\",", "/bin/guard-commands\", \"timeout\": 7,", 1),
                )?)
            }),
        ),
        (
            "was installed here, but this file has no entry for it",
            Box::new(|| Ok(fs::write(&settings, "{}")?)),
        ),
        (
            "was installed in this file, which no longer exists",
            Box::new(|| Ok(fs::remove_file(&settings)?)),
        ),
        (
            "was not installed here by this machine",
            Box::new(|| Ok(fs::remove_file(record(project, "fixture")?)?)),
        ),
        (
            "is also installed in another settings file",
            Box::new(|| {
                let local = [
                    "install", "--pack", "doctor-hooks", "--scope", "local", "--project", path,
                ];
                xtask_ok(fixture()?, &local).map(drop)
            }),
        ),
    ];
    for (what, breaks) in broken {
        breaks().with_context(|| what.to_owned())?;
        // One fix can remove several findings, and one fault can have several findings.
        let mut is_reported = false;
        for _ in 0..4 {
            let answer = world.ask(&[])?;
            let findings = || answer.rows.iter().filter(|row| row["kind"] == "finding");
            let is_expected = |row: &&Value| row["what"].as_str().is_some_and(|text| text.contains(what));
            let expected = findings().find(is_expected);
            is_reported |= expected.is_some();
            let Some(row) = expected.or_else(|| findings().next()) else {
                break;
            };
            let fix = row["fix"].as_str().unwrap_or_default();
            follow(fix).with_context(|| format!("{what}: {row}"))?;
        }
        ensure!(is_reported, "{what}: not reported");
        let answer = world.ask(&[])?;
        assert_eq!((answer.exit_code, answer.findings()), (Some(0), vec![]), "{what}");
    }
    Ok(())
}

#[test]
fn installed_hooks_have_no_findings_in_a_clone() -> Result<()> {
    let (world, clone) = (World::new()?, World::new()?);
    install("doctor-hooks", &world.project)?;
    for file in [".claude/settings.json", ".claude/hookkit.sh"] {
        clone.project.write(file, world.project.read(file)?)?;
    }
    let found = clone.ask(&[])?;
    let missing = |hook: &str| format!("the binary of `{hook}` is missing");
    let whats: Vec<_> = found.findings().into_iter().map(|(_, what)| what.to_owned()).collect();
    assert_eq!(whats, [missing("fine"), missing("guard-commands")]);
    install("doctor-hooks", &clone.project)?;
    let answer = clone.ask(&[])?;
    assert_eq!((answer.exit_code, answer.findings()), (Some(0), vec![]));
    Ok(())
}

/// Uses public settings files, if a copy of the collection is available.
#[test]
fn each_dropped_real_file_has_a_finding() -> Result<()> {
    const NAME: &str = "each_dropped_real_file_has_a_finding";
    let folder = repository().join("../shared/corpus/settings");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: {NAME}: no {}", folder.display());
        return Ok(());
    };
    let world = World::new()?;
    for file in files {
        let file = file?.path();
        let bytes = fs::read(&file)?;
        let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
        world.project.write(".claude/settings.json", bytes)?;
        let answer = world.ask(&[])?;
        let is_sane = matches!(answer.exit_code, Some(0 | 1)) && answer.stderr.is_empty();
        assert!(is_sane, "{}: {:?} {}", file.display(), answer.exit_code, answer.stderr);
        let listed = command(world.user.path(), &["list", "--json", "--project"])?
            .arg(world.project.path())
            .arg("--managed")
            .arg(world.managed.path())
            .env("CLAUDE_CONFIG_DIR", world.user.path())
            .output()?;
        let listed = String::from_utf8(listed.stdout)?;
        let is_dropped = listed.contains("\"state\":\"dropped\"");
        assert!(
            !is_dropped || answer.is_dropped() && answer.exit_code == Some(1),
            "{}",
            file.display()
        );
        assert!(
            is_json || answer.exit_code == Some(1),
            "{}: not JSON, but no finding",
            file.display()
        );
    }
    Ok(())
}
