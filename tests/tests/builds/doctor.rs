//! `cargo xtask doctor` on installed hooks.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, chown};

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::install;
use hookkit_tests::xtask::{findings, record};

#[test]
fn installed_hooks_of_this_repository_have_no_findings() -> Result<()> {
    let world = World::new()?;
    xtask_ok(repository(), &["install", "--project", text(world.project.path())?])?;
    world.ask(&[])?.assert_clean("this repository");
    Ok(())
}

#[test]
fn installed_hooks_are_run_and_reported_if_they_are_broken() -> Result<()> {
    let world = World::new()?;
    let hooks = fixture()?;
    let path = text(world.project.path())?;
    install("doctor-hooks", &world.project)?;
    let answer = world.ask(&[])?;
    answer.assert_clean("installed hooks");
    let printed = world.text(&["--client-binary", "/bin/false"])?;
    printed.ends(": 3 hooks in 1 file; tried 2 of them (written by `install`)\n");
    let local = ["--scope", "local", "--project", path];
    xtask_ok(hooks, &[&["install", "--hook", "fine"], &local[..]].concat())?;
    let twice = world.ask(&[])?;
    let expected = "`fine` is also installed in another settings file";
    let holds = twice.findings().iter().any(|(_, what)| *what == expected);
    assert!(holds, "{:?}", twice.findings());
    xtask_ok(hooks, &[&["uninstall"], &local[..]].concat())?;
    let trials = answer.rows.iter().filter(|row| row["kind"] == "trial");
    let trials = trials.map(|row| json!([row["hook"], row["stdin"], row["exit_code"]]));
    let expected = json!([
        ["fine", "recorded", 0],
        ["fine", "empty", 1],
        ["guard-commands", "recorded", 0],
        ["guard-commands", "empty", 2],
    ]);
    assert_eq!(trials.collect::<Value>(), expected);

    let check = || {
        let mut check = command(hooks, &["doctor", "--check", "--json", "--project", path])?;
        findings(&check.env("CLAUDE_CONFIG_DIR", world.user.path()).output()?)
    };
    assert_eq!(check()?, Vec::<Value>::new());
    let mut doctor = world.doctor(&["--json"])?;
    let output = doctor.env("XDG_STATE_HOME", world.project.path().join("state")).output()?;
    str::from_utf8(&output.stdout)?
        .has("`doctor` cannot tell whether `fine` was installed here: the state folder is in the project");
    put(&world.project, "#!/bin/sh\nexit 0\n")?;
    let expected = "`guard-commands` is not up to date: binary not built from the current source";
    assert!(check()?.iter().any(|row| row["what"] == expected));
    Ok(())
}

/// Replaces the binary of `guard-commands`.
fn replace(project: &Project, text: &str) -> Result<()> {
    let binary = installed(project.path(), "guard-commands")?;
    fs::remove_file(&binary)?;
    files::program(&binary, text)
}

/// Replaces the binary of `guard-commands`, as if it had been installed so.
fn put(project: &Project, text: &str) -> Result<()> {
    replace(project, text)?;
    let note = record(project.path(), "fixture")?;
    let mut record: Value = serde_json::from_slice(&fs::read(&note)?)?;
    let sha256 = hmac_sha256::Hash::hash(text.as_bytes());
    let sha256: String = sha256.iter().map(|byte| format!("{byte:02x}")).collect();
    record["binaries"]["guard-commands"] = json!([sha256]);
    Ok(fs::write(note, record.to_string())?)
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
    let path = text(project)?;
    let guard_commands = installed(project, "guard-commands")?;
    let bin = guard_commands.parent().context("a parent folder")?.to_owned();
    let settings = project.join(".claude/settings.json");
    let mode = |path: &Path, mode: u32| Ok(fs::set_permissions(path, Permissions::from_mode(mode))?);
    let canary = world.user.path().join("canary");
    let touches = format!("#!/bin/sh\ntouch '{}'\n", canary.display());
    let breaks = |change: &str| -> Result<()> {
        match change {
            "not executable" => mode(&guard_commands, 0o644),
            "writable" => mode(&guard_commands, 0o757),
            "writable folder" => mode(&bin, 0o777),
            "writable project" => mode(project, 0o777),
            "group" => {
                chown(&bin, None, Some(12345))?;
                mode(&bin, 0o775)
            }
            "changed" => replace(&world.project, &touches),
            "missing" => Ok(fs::remove_file(&guard_commands)?),
            "folder" => {
                fs::remove_file(&guard_commands)?;
                Ok(fs::create_dir(&guard_commands)?)
            }
            "linked" => Ok(fs::hard_link(&guard_commands, bin.with_file_name("notes.txt"))?),
            "no interpreter" => put(&world.project, "#!/nowhere\n"),
            "crashes" => put(&world.project, "#!/bin/sh\nkill -9 $$\n"),
            "answers" => put(&world.project, "#!/bin/sh\necho '{\"decision\": 1}'\n"),
            "entry" => {
                let text = fs::read_to_string(&settings)?;
                let text = text.replacen("/bin/guard-commands\",", "/bin/guard-commands\", \"timeout\": 7,", 1);
                Ok(fs::write(&settings, text)?)
            }
            "no entries" => Ok(fs::write(&settings, "{}")?),
            "no settings" => Ok(fs::remove_file(&settings)?),
            "no record" => Ok(fs::remove_file(record(project, "fixture")?)?),
            "twice" => {
                let local = ["install", "--pack", "doctor-hooks", "--scope", "local", "--project", path];
                xtask_ok(fixture()?, &local).map(drop)
            }
            _ => bail!("no change `{change}`"),
        }
    };
    let table: Lines = lines!("lines/doctor.txt");
    let owner = fs::metadata(project)?.gid();
    // Only root can assign a group that it is not in.
    let can_assign = chown(&bin, None, Some(12345)).is_ok();
    chown(&bin, None, Some(owner))?;
    let rows = &table.section("broken hooks").rows;
    for row in rows.iter().filter(|row| row.fields() != ["group"] || can_assign) {
        let ([change], what) = (row.fields(), row.line.as_str());
        breaks(change).with_context(|| what.to_owned())?;
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
            ensure!(answer.exit_code == Some(1), "{what}: {:?}", answer.exit_code);
            let fix = row["fix"].as_str().unwrap_or_default();
            follow(fix).with_context(|| format!("{what}: {row}"))?;
        }
        ensure!(is_reported, "{what}: not reported");
        ensure!(!canary.exists(), "a replaced binary was run");
        chown(&bin, None, Some(owner))?;
        world.ask(&[])?.assert_clean(what);
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
    clone.ask(&[])?.assert_clean("a clone");
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
        let listed = world.list(&["--json"])?;
        let is_dropped = listed.contains("\"state\":\"dropped\"");
        let holds = !is_dropped || answer.is_dropped() && answer.exit_code == Some(1);
        assert!(holds, "{}", file.display());
        let holds = is_json || answer.exit_code == Some(1);
        assert!(holds, "{}: not JSON, but no finding", file.display());
    }
    Ok(())
}
