//! `cargo xtask update hookkit`, with two releases of a hookkit that has no code.

use std::fs;

use anyhow::{Result, ensure};
use hookkit_tests::Project;
use hookkit_tests::documented::Documented;
use hookkit_tests::workspace::cargo;
use hookkit_tests::xtask::xtask;
use test_support::Has;

/// Commits a release of both crates, and tags it.
fn release(repository: &Project, version: &str) -> Result<()> {
    for (name, dependencies) in [("hookkit", ""), ("hookkit-xtask", "hookkit.path = \"../hookkit\"\n")] {
        let package = format!("[package]\nname = {name:?}\nversion = {version:?}\nedition = \"2024\"\n");
        let content = format!("{package}\n[dependencies]\n{dependencies}");
        repository.write(&format!("{name}/Cargo.toml"), content)?;
        repository.write(&format!("{name}/src/lib.rs"), "")?;
    }
    repository.git(&["add", "--all"])?;
    repository.git(&["commit", "--quiet", "--message", version])?;
    repository.git(&["tag", &format!("v{version}")])?;
    Ok(())
}

#[test]
fn another_release_is_taken_with_its_xtask_once_it_was_seen() -> Result<()> {
    let (hookkit, team) = (Project::new()?, Project::new()?);
    release(&hookkit, "0.1.0")?;
    let url = format!("file://{}", hookkit.path().display());
    team.write(
        "Cargo.toml",
        format!(
            "[workspace]\nresolver = \"3\"\nmembers = [\"hooks\", \"xtask\"]\n\n[workspace.dependencies]\n\
             hookkit = {{ git = {url:?}, tag = \"v0.1.0\" }} # ours\n"
        ),
    )?;
    let package = |name: &str| format!("[package]\nname = {name:?}\nedition = \"2024\"\n\n[dependencies]\n");
    team.write("hooks/Cargo.toml", package("hooks") + "hookkit.workspace = true\n")?;
    team.write(
        "xtask/Cargo.toml",
        package("xtask") + &format!("hookkit-xtask = {{ git = {url:?}, tag = \"v0.1.0\" }}\n"),
    )?;
    for folder in ["hooks", "xtask"] {
        team.write(&format!("{folder}/src/lib.rs"), "")?;
    }
    ensure!(
        cargo(team.path(), &["update", "--workspace", "--quiet"])?
            .status
            .success()
    );
    let files = ["Cargo.toml", "xtask/Cargo.toml", "Cargo.lock"];
    let read = || files.map(|file| fs::read_to_string(team.path().join(file)).unwrap_or_default());
    let update = |more: &[&str], exit_code: i32| -> Result<String> {
        let output = xtask(team.path(), &[&["update", "hookkit"], more].concat())?;
        ensure!(output.status.code() == Some(exit_code), "{output:?}");
        Ok(String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?)
    };
    let before = read();
    assert!(update(&[], 0)?.ends_with(": up to date\n"));

    release(&hookkit, "0.2.0")?;
    let message = update(&[], 1)?;
    for name in ["hookkit", "hookkit-xtask"] {
        let start = format!("{name}: 0.1.0 (");
        let line = message.lines().find(|line| line.starts_with(&start));
        assert!(line.is_some_and(|line| line.contains(") → 0.2.0 (")), "{message}");
    }
    assert_eq!(read(), before);
    let output = xtask(team.path(), &["update", "hookkit", "--json"])?;
    let rows = Documented::read()?.rows("update", str::from_utf8(&output.stdout)?)?;
    for name in ["hookkit", "hookkit-xtask"] {
        let row = rows.iter().find(|row| row["kind"] == "pack" && row["package"] == name);
        assert!(row.is_some_and(|row| row["newer"]["version"] == "0.2.0"), "{rows:?}");
    }
    assert_eq!(read(), before);
    update(&["--yes"], 0)?;
    let after = read();
    for file in 0..2 {
        assert_eq!(after[file], before[file].replace("v0.1.0", "v0.2.0"));
    }
    assert_eq!(after[2].matches("version = \"0.2.0\"").count(), 2, "{}", after[2]);
    assert!(update(&[], 0)?.ends_with(": up to date\n"));
    // An older one is a choice, too.
    update(&["--to", "v0.1.0", "--yes"], 0)?;
    assert_eq!(read(), before);

    let refused = update(&["--to", "v7.0.0", "--yes"], 2)?;
    refused.has("nothing was updated, and all files are as they were");
    assert_eq!(read(), before);
    Ok(())
}
