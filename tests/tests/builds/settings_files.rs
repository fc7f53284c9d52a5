//! The settings file of each scope, which `uninstall` restores.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::{as_user as xtask, handlers};

/// Returns the error that xtask prints.
fn error(user: &Path, arguments: &[&str]) -> Result<String> {
    match xtask(user, arguments) {
        Ok(printed) => anyhow::bail!("no error: {printed}"),
        Err(err) => Ok(err.to_string()),
    }
}

#[test]
fn a_settings_file_of_another_name_is_independent() -> Result<()> {
    let folder = test_support::folder();
    let folder = folder.path().canonicalize()?;
    let file = folder.join("-team \"one\".json");
    let here = ["--settings", text(&file)?];
    xtask(&folder, &[&["install", "--hook", "hold"], &here[..]].concat())?;
    let printed = xtask(&folder, &["install", "--scope", "user", "--hook", "hold"])?;
    // The settings of a session are not known.
    printed.lacks("run twice");
    printed.has("They are for this home folder");
    let binary = folder.join("hookkit/fixture@-team \"one\".json/bin/hold");
    assert_eq!(handlers(&file, "hold")?[0]["command"], text(&binary)?);
    assert!(binary.is_file());

    // A project's own settings file is in project scope, even with `--settings`.
    let project = Project::new()?;
    let settings = project.path().join(".claude/settings.json");
    xtask(&folder, &["install", "--hook", "hold", "--settings", text(&settings)?])?;
    let found = &handlers(&settings, "hold")?[0]["command"];
    assert_eq!(*found, "${CLAUDE_PROJECT_DIR}/.claude/hookkit/fixture/bin/hold");

    xtask(&folder, &[&["uninstall"], &here[..]].concat())?;
    assert!(!file.exists() && folder.join("hookkit/fixture/bin/hold").is_file());
    xtask(&folder, &["uninstall", "--scope", "user"])?;
    assert_eq!(fs::read_dir(&folder)?.count(), 0);
    let nowhere = folder.join("nowhere/settings.json");
    assert!(error(&folder, &["install", "--settings", text(&nowhere)?])?.contains("there is no folder"));
    Ok(())
}

#[test]
fn chosen_hooks_are_added_to_the_installed_ones() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = test_support::folder();
    let install = |arguments: &[&str]| xtask(user.path(), &[&["install", "--project", path], arguments].concat());
    install(&["--hook", "hold"])?;
    let printed = install(&["--hook", "careful", "--hook", "remind"])?;
    assert!(printed.starts_with("Installed 3 hooks"), "{printed}");
    let binaries = files::names(&project.path().join(".claude/hookkit/fixture/bin"));
    assert_eq!(binaries, ["careful", "hold", "remind"]);
    let message = error(user.path(), &["install", "--project", path, "--hook", "hodl"])?;
    message.has("no hook `hodl`");
    message.has("`hold`");
    let message = error(user.path(), &["install", "--project", path, "--pack", "fixture"])?;
    message.has("no pack `fixture`");
    message.has("`fixture-hooks`");
    Ok(())
}

#[test]
fn a_project_below_a_repositorys_root_is_reported() -> Result<()> {
    let project = Project::new()?;
    let user = test_support::folder();
    let inner = project.path().join("packages/app");
    fs::create_dir_all(&inner)?;
    let printed = xtask(user.path(), &["install", "--hook", "hold", "--project", text(&inner)?])?;
    printed.has("only sessions started in this project run them");
    assert!(inner.join(".claude/settings.json").is_file());

    // Without the option, the project is the root, in any folder.
    let manifest = format!(
        "[workspace]\n[package]\nname = \"pack\"\nedition = \"2024\"\n[dependencies]\nhookkit.path = {:?}\n",
        repository().join("hookkit")
    );
    project.write("Cargo.toml", manifest)?;
    project.write("src/lib.rs", "")?;
    let printed = xtask_ok(&project.path().join("src"), &["uninstall"])?;
    let root = project.path().join(".claude/settings.json");
    assert!(printed.ends_with(&format!("in {}.\n", root.display())), "{printed}");
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn packages_that_were_moved_are_as_before_after_an_uninstall() -> Result<()> {
    const OWN: &str = "{ \"hooks\": {}, \"model\": \"opus\" }";
    let user = test_support::folder();
    for (moves, again) in [
        (&["other"][..], Some(&["--everywhere"][..])),
        (&["deep/apps", "apps"], Some(&["--everywhere"])),
        (&["other"], Some(&[])),
        (&["deep/apps"], None),
    ] {
        let project = Project::new()?;
        let root = project.path();
        let here = ["--project", text(root)?];
        project.write("apps/bare/package.json", "{}")?;
        project.write("apps/full/package.json", "{}")?;
        project.write("apps/full/.claude/settings.json", OWN)?;
        fs::create_dir(root.join("deep"))?;
        fs::create_dir_all(root.join("apps/nested/.git"))?;
        let install = ["install", "--hook", "hold"];
        let install = |options: &[&str]| xtask(user.path(), &[&install, &here[..], options].concat());
        install(&["--everywhere"])?;
        let mut apps = "apps";
        for to in moves {
            fs::rename(root.join(apps), root.join(to))?;
            again.map(install).transpose()?;
            apps = to;
        }
        xtask(user.path(), &[&["uninstall"], &here[..]].concat())?;
        assert!(!project.exists(&format!("{apps}/bare/.claude")), "{moves:?}, {again:?}");
        let found = project.read(&format!("{apps}/full/.claude/settings.json"))?;
        assert_eq!(found, OWN, "{moves:?}, {again:?}");
        assert!(!project.exists(".claude"), "{moves:?}, {again:?}");
        let holds = !project.exists(&format!("{apps}/nested/.claude"));
        assert!(holds, "{moves:?}, {again:?}");
    }
    Ok(())
}

#[test]
fn files_that_are_read_only_or_of_another_user_are_unchanged() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let user = test_support::folder();
    project.write(".claude/settings.json", "{}")?;
    let folder = project.path().join(".claude");
    let file = folder.join("settings.json");
    let ensure_error = |fix: &str| -> Result<()> {
        let before = fs::metadata(&file)?.modified()?;
        for command in ["install", "uninstall"] {
            let message = error(user.path(), &[command, "--project", path])?;
            ensure!(message.contains(fix), "{command}: {message}");
        }
        let holds = fs::read(&file)? == b"{}" && fs::metadata(&file)?.modified()? == before;
        ensure!(holds, "the file has changed");
        ensure!(fs::read_dir(&folder)?.count() == 1, "something was left");
        Ok(())
    };
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444))?;
    let fix = format!("make it writable first: chmod u+w {path}/.claude/settings.json");
    ensure_error(&format!("read-only, so nothing was changed; {fix}"))?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555))?;
    ensure_error(&format!("chmod u+w {path}/.claude\n"))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
    // Only root can change a file's owner.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_ok() {
        ensure_error("belongs to another user (id 12345, ")?;
    }
    Ok(())
}
