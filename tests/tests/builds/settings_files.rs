//! The settings file of each scope, and what stays of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::xtask::{as_user as xtask, handlers, repository, text, xtask_ok};

/// What xtask prints when it refuses.
fn refused(user: &Path, arguments: &[&str]) -> Result<String> {
    match xtask(user, arguments) {
        Ok(said) => anyhow::bail!("not refused: {said}"),
        Err(err) => Ok(err.to_string()),
    }
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
    let refuses = |fix: &str| -> Result<()> {
        let before = fs::metadata(&file)?.modified()?;
        for command in ["install", "uninstall"] {
            let told = refused(user.path(), &[command, "--project", path])?;
            ensure!(told.contains(fix), "{command}: {told}");
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
