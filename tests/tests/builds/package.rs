//! Plugins with programs: `package` and `verify`.

use hookkit_tests::faults;
use hookkit_tests::files::below;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::seed;

/// Returns all files of a folder, by their paths, with their content and whether they can be run.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, (Vec<u8>, bool)>> {
    let of = |path: PathBuf| {
        let is_program = fs::metadata(&path)?.permissions().mode() & 0o111 != 0;
        Ok((path.strip_prefix(folder)?.to_owned(), (fs::read(&path)?, is_program)))
    };
    below(folder, &|_| false)?.into_iter().map(of).collect()
}

/// Copies the sources of this repository, without what was built.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        match () {
            () if name == ".git" || name == "target" => {}
            () if entry.file_type()?.is_dir() => copy_sources(&path, &to.join(name))?,
            () => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

/// Runs a program of a plugin on a call that reads `.env`, which ends with this exit code. Returns its stdout and its stderr.
fn run(program: &Path, hook: &str, exit_code: i32) -> Result<[String; 2]> {
    let call = call_with("PreToolUse-Read", &json!({"file_path": "/home/user/project/.env"}))?;
    let mut command = Command::new(program);
    command.arg(hook);
    faults::run_piped(command, call.as_bytes())?.both(exit_code)
}

/// Builds a pack of this repository in two copies of its sources, with two target folders. Nothing of hookkit that is built
/// in one is used in the other, so it is one of the small packs, and not optimized.
#[test]
fn a_package_is_the_same_in_every_folder() -> Result<()> {
    let (here, there, stage) = (Project::new()?, Project::new()?, Stage::take(&[])?);
    let arguments = ["package", "--pack", "hookkit-quality", "--name", "quality", "--out"];
    let copy = stage.path().join("another folder/hookkit");
    for copy in [&stage.app(), &copy] {
        copy_sources(repository(), copy)?;
    }
    xtask_ok(&stage.app(), &[&arguments[..], &[text(here.path())?]].concat())?;
    let not_compiled = copy.join("hooks/guard/src/not_compiled.rs");
    let built = stage.target().with_file_name("built-in-another-folder");
    seed(&built.join("debug"))?;
    let in_copy = |arguments: &[&str], code: i32| command(&copy, arguments)?.env("CARGO_TARGET_DIR", &built).out(code);
    in_copy(&[&arguments[..], &[text(there.path())?]].concat(), 0)?;
    let holds = built.join("hookkit").is_dir() && !copy.join("target").exists();
    assert!(holds, "CARGO_TARGET_DIR is honored");
    let package = here.path().join("quality");
    let (one, other) = (files(&package)?, files(&there.path().join("quality"))?);
    let differing: Vec<&PathBuf> = one.keys().filter(|path| one.get(*path) != other.get(*path)).collect();
    assert_eq!((differing, one.len()), (Vec::new(), other.len()));

    // The files do not name the builder's folders.
    let home = std::env::home_dir().context("a home")?;
    for (path, (bytes, _)) in &one {
        let content = String::from_utf8_lossy(bytes);
        for folder in [&stage.app(), &home] {
            let folder = format!("{}/", text(folder)?);
            assert!(!content.contains(&folder), "{} contains {folder}", path.display());
        }
    }

    // The copy proves where the package comes from, until its code is another one.
    let verified = in_copy(&["verify", "--json", text(&package)?], 0)?;
    let rows = Documented::read()?.rows("verify DIR", &verified)?;
    assert_eq!((rows.len(), &rows[0]["verified"]), (1, &Value::from(true)));
    let readme = package.join("README.md");
    let original = fs::read_to_string(&readme)?;
    fs::write(&readme, original.clone() + "changed")?;
    in_copy(&["verify", text(&package)?], 1)?.ends(":\n  README.md: its bytes differ\n");
    fs::write(&readme, original)?;
    fs::write(&not_compiled, "")?;
    in_copy(&["verify", text(&package)?], 1)?.has("sources: the code of the packs is not the same");
    Ok(())
}

#[test]
fn the_program_of_a_plugin_runs_the_hook_that_is_named() -> Result<()> {
    let out = Project::new()?;
    let hooks = ["--hook", "protect-secrets", "--hook", "notify"];
    let arguments = ["package", "--name", "acme", "--out", text(out.path())?];
    xtask_ok(repository(), &[&arguments[..], &hooks].concat())?;
    let script = out.path().join("acme/bin/acme");
    let [stdout, _] = run(&script, "protect-secrets", 0)?;
    let answer: Value = serde_json::from_str(&stdout)?;
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");

    let expected = "the first argument must be a hook of this program: protect-secrets, notify\n";
    assert_eq!(run(&script, "no-such-hook", 1)?, ["", expected]);

    // A guard fails without its program, for Claude Code to deny; an observer does nothing.
    let program = out.path().join(format!("acme/bin/acme-linux-{}", std::env::consts::ARCH));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644))?;
    let [stdout, stderr] = run(&script, "protect-secrets", 1)?;
    assert_eq!(stdout, "");
    stderr.ends("is not executable, so the hook protect-secrets did not run\n");
    fs::remove_file(&program)?;
    let [stdout, stderr] = run(&script, "notify", 0)?;
    assert_eq!(stdout, "");
    stderr.has("has no program for this system");
    Ok(())
}

#[test]
fn parts_of_several_machines_become_one_plugin() -> Result<()> {
    const ARM: &str = "aarch64-unknown-linux-musl";
    if !xtask(fixture()?, &["install", "--target", ARM, "--check", "--hook", "remind"])
        .is_ok_and(|output| !String::from_utf8_lossy(&output.stderr).contains("rustup target add"))
    {
        skip("parts_of_several_machines_become_one_plugin", "no standard library for ARM");
        return Ok(());
    }
    let (here, arm, all) = (Project::new()?, Project::new()?, Project::new()?);
    let common = ["package", "--hook", "remind", "--name", "acme", "--out"];
    xtask_ok(fixture()?, &[&common[..], &[text(here.path())?]].concat())?;
    let arguments = [&common[..], &[text(arm.path())?, "--target", ARM]].concat();
    xtask_ok(fixture()?, &arguments)?;
    let parts = ["--merge", text(here.path())?, "--merge", text(arm.path())?];
    // No workspace is needed.
    let elsewhere = Project::new()?;
    let merge = [&["package", "--out", text(all.path())?], &parts[..]].concat();
    xtask_ok(elsewhere.path(), &merge)?;
    let bin = files(&all.path().join("acme/bin"))?;
    let names: Vec<&str> = bin.keys().filter_map(|path| path.to_str()).collect();
    assert_eq!(names, ["acme", "acme-linux-aarch64", "acme-linux-x86_64"]);
    let found = bin.get(Path::new("acme"));
    assert_eq!(found, files(&here.path().join("acme/bin"))?.get(Path::new("acme")));

    // A part that was changed is not a part.
    fs::write(arm.path().join("acme/bin/acme-linux-aarch64"), "changed")?;
    refused(elsewhere.path(), &merge)?.has("bin/acme-linux-aarch64 differs from SHA256SUMS");
    Ok(())
}

#[test]
fn a_plugin_in_a_project_is_removed_without_a_trace() -> Result<()> {
    let project = Project::new()?;
    project.write("README.md", "# app\n")?;
    project.write(".gitignore", "bin/\n*.exe\n")?;
    let before = files(project.path())?;
    let path = text(project.path())?;
    let into = |more: &[&str], code: i32| -> Result<[String; 2]> {
        let package = ["package", "--name", "acme", "--into", path];
        xtask(fixture()?, &[&package, more].concat())?.both(code)
    };
    let [printed, _] = into(&["--hook", "remind", "--json"], 0)?;
    let rows = Documented::read()?.rows("package", &printed)?;
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    assert_eq!(kinds, ["hook", "program", "summary"]);
    assert!(project.exists(".claude/skills/acme/.claude-plugin/plugin.json"));
    // git takes the programs, though the project ignores such folders.
    project.git(&["add", "-A"])?;
    let tracked = project.git(&["ls-files", ".claude/skills/acme/bin"])?;
    assert_eq!(tracked.lines().count(), 2, "{tracked}");
    into(&["--hook", "remind"], 0)?[0].starts("Nothing has changed");
    let other = ["package", "--name", "acme", "--into", path, "--hook", "hold"];
    let mut by_client = command(fixture()?, &other)?;
    let by_client = by_client.env_remove("HOOKKIT_TESTS").env("CLAUDECODE", "1").output()?;
    String::from_utf8_lossy(&by_client.stderr).has("this removes `remind`: CLAUDECODE is set");

    // What the user has added is not removed.
    project.write(".claude/skills/acme/notes.txt", "mine")?;
    into(&["--remove"], 2)?[1].has("notes.txt differs from SHA256SUMS");
    fs::remove_file(project.path().join(".claude/skills/acme/notes.txt"))?;

    into(&["--remove"], 0)?;
    project.git(&["rm", "-r", "--cached", "-q", "."])?;
    let is_git = |path: &Path| path.starts_with(".git");
    let kept = |files: BTreeMap<PathBuf, (Vec<u8>, bool)>| {
        let files = files.into_iter().filter(|(path, _)| !is_git(path));
        files.collect::<BTreeMap<_, _>>()
    };
    assert!(kept(files(project.path())?) == kept(before));
    assert!(!project.exists(".claude"));
    Ok(())
}
