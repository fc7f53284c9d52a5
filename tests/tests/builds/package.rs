//! Plugins with programs: `package` and `verify`.

use anyhow::Error;
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

/// Runs a program of a plugin on a payload. Returns its exit code, its stdout and its stderr.
fn run(program: &Path, hook: &str, stdin: &str) -> Result<(Option<i32>, String, String)> {
    let folder = test_support::folder();
    let input = folder.path().join("stdin");
    fs::write(&input, stdin)?;
    let output = Command::new(program)
        .arg(hook)
        .stdin(Stdio::from(fs::File::open(input)?))
        .output()
        .with_context(|| format!("running {}", program.display()))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((output.status.code(), text(output.stdout), text(output.stderr)))
}

/// Returns the payload of a call that reads `.env`.
fn reads_env() -> Result<String> {
    let mut call: Value = serde_json::from_str(&payload("PreToolUse-Read")?)?;
    let file = Path::new(call["cwd"].as_str().context("a folder")?).join(".env");
    call["tool_input"]["file_path"] = text(&file)?.into();
    Ok(call.to_string())
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
    let in_copy =
        |arguments: &[&str]| Ok::<_, Error>(command(&copy, arguments)?.env("CARGO_TARGET_DIR", &built).output()?);
    let output = in_copy(&[&arguments[..], &[text(there.path())?]].concat())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let holds = built.join("hookkit").is_dir() && !copy.join("target").exists();
    assert!(holds, "CARGO_TARGET_DIR is honored");
    let (one, other) = (
        files(&here.path().join("quality"))?,
        files(&there.path().join("quality"))?,
    );
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
    let package = here.path().join("quality");
    let verified = in_copy(&["verify", "--json", text(&package)?])?;
    let rows = Documented::read()?.rows("verify DIR", str::from_utf8(&verified.stdout)?)?;
    assert_eq!((rows.len(), &rows[0]["verified"]), (1, &Value::from(true)));
    assert_eq!(
        verified.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&verified.stderr)
    );
    let readme = package.join("README.md");
    let original = fs::read_to_string(&readme)?;
    fs::write(&readme, original.clone() + "changed")?;
    let verified = in_copy(&["verify", text(&package)?])?;
    let printed = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert_eq!(verified.status.code(), Some(1), "{printed}");
    assert!(printed.ends_with(":\n  README.md: its bytes differ\n"), "{printed}");
    fs::write(&readme, original)?;
    fs::write(&not_compiled, "")?;
    let verified = in_copy(&["verify", text(&package)?])?;
    let printed = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert_eq!(verified.status.code(), Some(1), "{printed}");
    printed.has("sources: the code of the packs is not the same");
    Ok(())
}

#[test]
fn the_program_of_a_plugin_runs_the_hook_that_is_named() -> Result<()> {
    let out = Project::new()?;
    let hooks = ["--hook", "protect-secrets", "--hook", "notify"];
    let arguments = ["package", "--name", "acme", "--out", text(out.path())?];
    xtask_ok(repository(), &[&arguments[..], &hooks].concat())?;
    let script = out.path().join("acme/bin/acme");
    let (code, stdout, stderr) = run(&script, "protect-secrets", &reads_env()?)?;
    assert_eq!(code, Some(0), "{stderr}");
    let answer: Value = serde_json::from_str(&stdout)?;
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");

    let (code, stdout, stderr) = run(&script, "no-such-hook", &reads_env()?)?;
    assert_eq!((code, &*stdout), (Some(1), ""));
    assert_eq!(
        stderr,
        "the first argument must be a hook of this program: protect-secrets, notify\n"
    );

    // A guard fails without its program, for Claude Code to deny; an observer does nothing.
    let program = out
        .path()
        .join(format!("acme/bin/acme-linux-{}", std::env::consts::ARCH));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644))?;
    let (code, stdout, stderr) = run(&script, "protect-secrets", &reads_env()?)?;
    assert_eq!((code, &*stdout), (Some(1), ""));
    stderr.ends("is not executable, so the hook protect-secrets did not run\n");
    fs::remove_file(&program)?;
    let (code, stdout, stderr) = run(&script, "notify", &reads_env()?)?;
    assert_eq!((code, &*stdout), (Some(0), ""));
    assert!(stderr.contains("has no program for this system"), "{stderr}");
    Ok(())
}

#[test]
fn parts_of_several_machines_become_one_plugin() -> Result<()> {
    const ARM: &str = "aarch64-unknown-linux-musl";
    if !xtask(fixture()?, &["install", "--target", ARM, "--check", "--hook", "remind"])
        .is_ok_and(|output| !String::from_utf8_lossy(&output.stderr).contains("rustup target add"))
    {
        skip(
            "parts_of_several_machines_become_one_plugin",
            "no standard library for ARM",
        );
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
    let merge = |parts: &[&str]| {
        xtask(
            elsewhere.path(),
            &[&["package", "--out", text(all.path())?], parts].concat(),
        )
    };
    let merged = merge(&parts)?;
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    let bin = files(&all.path().join("acme/bin"))?;
    let names: Vec<&str> = bin.keys().filter_map(|path| path.to_str()).collect();
    assert_eq!(names, ["acme", "acme-linux-aarch64", "acme-linux-x86_64"]);
    let found = bin.get(Path::new("acme"));
    assert_eq!(found, files(&here.path().join("acme/bin"))?.get(Path::new("acme")));

    // A part that was changed is not a part.
    fs::write(arm.path().join("acme/bin/acme-linux-aarch64"), "changed")?;
    let merged = merge(&parts)?;
    let stderr = String::from_utf8_lossy(&merged.stderr).into_owned();
    assert_eq!(merged.status.code(), Some(2));
    stderr.has("bin/acme-linux-aarch64 differs from SHA256SUMS");
    Ok(())
}

#[test]
fn a_plugin_in_a_project_is_removed_without_a_trace() -> Result<()> {
    let project = Project::new()?;
    project.write("README.md", "# app\n")?;
    project.write(".gitignore", "bin/\n*.exe\n")?;
    let before = files(project.path())?;
    let path = text(project.path())?;
    let into = |more: &[&str]| {
        xtask(
            fixture()?,
            &[&["package", "--name", "acme", "--into", path], more].concat(),
        )
    };
    let put = into(&["--hook", "remind", "--json"])?;
    let rows = Documented::read()?.rows("package", str::from_utf8(&put.stdout)?)?;
    let kinds: Vec<&str> = rows.iter().filter_map(|row| row["kind"].as_str()).collect();
    assert_eq!(kinds, ["hook", "program", "summary"]);
    assert!(put.status.success(), "{}", String::from_utf8_lossy(&put.stderr));
    assert!(project.exists(".claude/skills/acme/.claude-plugin/plugin.json"));
    // git takes the programs, though the project ignores such folders.
    project.git(&["add", "-A"])?;
    let tracked = project.git(&["ls-files", ".claude/skills/acme/bin"])?;
    assert_eq!(tracked.lines().count(), 2, "{tracked}");
    let again = into(&["--hook", "remind"])?;
    assert!(String::from_utf8_lossy(&again.stdout).starts_with("Nothing has changed"));
    let other = ["package", "--name", "acme", "--into", path, "--hook", "hold"];
    let mut by_client = command(fixture()?, &other)?;
    let by_client = by_client.env_remove("HOOKKIT_TESTS").env("CLAUDECODE", "1").output()?;
    String::from_utf8_lossy(&by_client.stderr).has("this takes out `remind`: CLAUDECODE is set");

    // What the user has added is not removed.
    project.write(".claude/skills/acme/notes.txt", "mine")?;
    let refused = into(&["--remove"])?;
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr.contains("notes.txt differs from SHA256SUMS"), "{stderr}");
    fs::remove_file(project.path().join(".claude/skills/acme/notes.txt"))?;

    let removed = into(&["--remove"])?;
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
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
