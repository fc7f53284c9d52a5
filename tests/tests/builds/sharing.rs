//! One team writes a guard, and another one uses it: the two examples from end to end.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{cargo, example};
use test_support::git;

/// The address of the pack in the examples.
const PUBLISHED: &str = "https://git.example.com/acme/guards";

/// The two teams.
struct Acme {
    stage: Stage,
    /// The pack's repository.
    guards: PathBuf,
    /// The application's repository.
    app: PathBuf,
    /// The address of the pack.
    url: String,
}

impl Acme {
    /// Returns the pack, and the application without it.
    fn new() -> Result<Self> {
        let stage = Stage::with_xtask()?;
        let (guards, app) = (stage.path().join("guards"), stage.app());
        example("acme-guards", &guards)?;
        example("acme-app", &app)?;
        edit(&app.join("Cargo.toml"), |text| {
            let (before, after) = text.split_once("packs = ")?;
            Some(format!("{before}{}", after.split_once('\n')?.1))
        })?;
        edit(&app.join("xtask/Cargo.toml"), |text| Some(text.split_once("\n[target.")?.0.to_owned()))?;
        let acme = Self { url: format!("file://{}", guards.display()), stage, guards, app };
        for repository in [&acme.guards, &acme.app] {
            git(repository, &["init", "--quiet", "--initial-branch=main", "--template="]);
        }
        Ok(acme)
    }

    /// Exchanges the application with the teammate's clone: both are built at one path, where cargo rebuilds only the
    /// differences.
    fn swap_clones(&self) -> Result<()> {
        let [clone, aside] = ["clone", "aside"].map(|name| self.stage.path().join(name));
        fs::rename(&self.app, &aside)?;
        fs::rename(&clone, &self.app)?;
        Ok(fs::rename(&aside, &clone)?)
    }

    /// Commits and tags a release in the pack's repository.
    fn release(&self, version: &str) {
        commit(&self.guards);
        git(&self.guards, &["tag", &format!("v{version}")]);
    }

    /// Returns a file of the example application, with the address of this test's pack.
    fn as_published(&self, file: &str) -> Result<String> {
        let folder = self.stage.path().join("published");
        example("acme-app", &folder)?;
        Ok(fs::read_to_string(folder.join(file))?.replace(PUBLISHED, &self.url))
    }
}

fn commit(repository: &Path) {
    git(repository, &["add", "--all"]);
    git(repository, &["commit", "--quiet", "--message", "work"]);
}

fn edit(file: &Path, change: impl FnOnce(&str) -> Option<String>) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let text = change(&text).with_context(|| format!("{}: the text to change was not found", file.display()))?;
    Ok(fs::write(file, text)?)
}

/// Runs `cargo xtask …`, which must exit with this code, and returns its stdout.
fn xtask(folder: &Path, arguments: &[&str], exit_code: i32) -> Result<String> {
    let ended = cargo(folder, &[&["xtask"], arguments].concat())?.out(exit_code);
    ended.with_context(|| format!("{arguments:?}"))
}

/// Returns `true` if a session in the project can write a key.
fn can_write_a_key(client: &Path, project: &Path) -> Result<bool> {
    let file = project.join("keys/id");
    let outcome = Session::new(client, project)
        .allow(&["Write"])
        .turn(Turn::call("Write", json!({"file_path": file, "content": "secret"})))
        .go()?;
    let results = outcome.tool_results().concat();
    ensure!(file.exists() != results.contains("platform team"), "{results}");
    Ok(fs::remove_file(file).is_ok())
}

#[test]
fn a_pack_is_pinned_installed_updated_and_removed() -> Result<()> {
    let acme = Acme::new()?;
    let Acme { app, guards, url, .. } = &acme;
    let client = client::require("a_pack_is_pinned_installed_updated_and_removed");

    // The team that writes the pack.
    // Tests unwind: with them, xtask would be compiled once more.
    cargo(guards, &["test", "--workspace", "--exclude", "xtask", "--quiet"])?.out(0)?;
    acme.release("1.0.0");

    // The team that tries it, and adds it.
    let from = ["acme-guards", "--git", url, "--tag", "v1.0.0"];
    let wrong = ["add", "acme-guards", "--git", url, "--tag", "v9.0.0"];
    xtask(app, &wrong, 2)?;
    let tried = xtask(app, &[&["run", "no-force-push", "--pack"], &from[..]].concat(), 0)?;
    tried.starts("no-force-push on PreToolUse Bash, recorded\n");
    tried.has("\nAdd it: cargo xtask add acme-guards --git ");
    tried.lacks("protect-keys");
    let added = xtask(app, &[&["add"], &from[..]].concat(), 1)?;
    added.has("  + package acme-guards: 1.0.0 (");
    added.has("PreToolUse Write|Edit|NotebookEdit; timeout: 5 s; on failure: block");
    added.has("PreToolUse Bash; if: Bash(git push *); timeout: 5 s; on failure: block");
    commit(app);
    xtask(app, &[&["add", "--yes"], &from[..]].concat(), 0)?;
    for file in ["Cargo.toml", "xtask/Cargo.toml"] {
        assert_eq!(fs::read_to_string(app.join(file))?, acme.as_published(file)?, "{file}");
    }
    xtask(app, &["install"], 0)?;
    commit(app);
    if let Some(client) = &client {
        assert!(!can_write_a_key(client, app)?);
    }

    // A teammate, who has the committed files and no binaries.
    let clone = acme.stage.path().join("clone");
    git(acme.stage.path(), &["clone", "--quiet", "app", "clone"]);
    acme.swap_clones()?;
    let missing = xtask(app, &["install", "--check"], 1)?;
    missing.has("\n  ~ protect-keys, no-force-push: binary missing\n");
    xtask(app, &["install"], 0)?;
    xtask(app, &["install", "--check"], 0)?;
    assert_eq!(git(app, &["status", "--porcelain"]), "");
    acme.swap_clones()?;

    // A new release, which changes, adds and removes hooks.
    for (file, from, to) in [
        ("Cargo.toml", "1.0.0", "1.1.0"),
        ("src/files.rs", "timeout = 5", "timeout = 10"),
        ("src/git.rs", "no_force_push", "no_forced_push"),
        ("src/git.rs", "if = \"Bash(git push *)\", ", ""),
        ("tests/verdicts.rs", "no_force_push", "no_forced_push"),
    ] {
        edit(&guards.join("guards").join(file), |text| Some(text.replace(from, to)))?;
    }
    cargo(guards, &["update", "--workspace", "--offline", "--quiet"])?.out(0)?;
    acme.release("1.1.0");
    let changes = [
        "  ~ hook protect-keys: timeout: 5 s → 10 s\n",
        "  + hook no-forced-push: PreToolUse Bash; timeout: 5 s; on failure: block\n",
        "  - hook no-force-push: PreToolUse Bash; if: Bash(git push *); timeout: 5 s; on failure: block\n",
        "  ~ package acme-guards: 1.0.0 (",
        " → 1.1.0 (",
    ];
    // The same command takes another tag.
    let from = ["add", "acme-guards", "--git", url, "--tag", "v1.1.0"];
    let shown = xtask(app, &from, 1)?;
    assert_eq!(git(app, &["status", "--porcelain"]), "", "the files have changed");
    let updated = xtask(app, &[&from[..], &["--yes"]].concat(), 0)?;
    for text in [shown, updated] {
        assert!(changes.iter().all(|change| text.contains(change)), "{text}");
        assert!(!text.contains("  - package "), "no package is removed: {text}");
    }
    xtask(app, &["install"], 0)?;
    commit(app);

    // The teammate again.
    git(&clone, &["pull", "--quiet"]);
    acme.swap_clones()?;
    let stale = xtask(app, &["install", "--check"], 1)?;
    stale.has("~ protect-keys: binary not built from the current source");
    stale.has("no-forced-push: binary missing");
    xtask(app, &["install"], 0)?;
    xtask(app, &["install", "--check"], 0)?;
    if let Some(client) = &client {
        assert!(!can_write_a_key(client, app)?);
    }
    acme.swap_clones()?;

    // The pack is removed, by cargo and by its name.
    let from = ["--package", "xtask", "--target", "cfg(any())"];
    cargo(app, &[&["remove", "--quiet", "acme-guards"], &from[..]].concat())?.out(0)?;
    let named = cargo(app, &["xtask", "install"])?.err(2)?;
    named.has("lists `acme-guards`, which no package of the workspace depends on");
    xtask(app, &["uninstall"], 0)?;
    if let Some(client) = &client {
        assert!(can_write_a_key(client, app)?);
    }
    Ok(())
}
