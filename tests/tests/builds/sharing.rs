//! One team writes a guard, and another one uses it: the two examples from end to end.

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{cargo, example};

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
        edit(&app.join("xtask/Cargo.toml"), |text| {
            Some(text.split_once("\n[target.")?.0.to_owned())
        })?;
        let acme = Self {
            url: format!("file://{}", guards.display()),
            stage,
            guards,
            app,
        };
        for repository in [&acme.guards, &acme.app] {
            acme.git(repository, &["init", "--quiet", "--initial-branch=main", "--template="])?;
        }
        Ok(acme)
    }

    fn git(&self, repository: &Path, arguments: &[&str]) -> Result<String> {
        Ok(test_support::git(repository, arguments))
    }

    fn commit(&self, repository: &Path) -> Result<()> {
        self.git(repository, &["add", "--all"])?;
        self.git(repository, &["commit", "--quiet", "--message", "work"])?;
        Ok(())
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
    fn release(&self, version: &str) -> Result<()> {
        self.commit(&self.guards)?;
        self.git(&self.guards, &["tag", &format!("v{version}")])?;
        Ok(())
    }

    /// Returns a file of the example application, with the address of this test's pack.
    fn as_published(&self, file: &str) -> Result<String> {
        let folder = self.stage.path().join("published");
        example("acme-app", &folder)?;
        Ok(fs::read_to_string(folder.join(file))?.replace(PUBLISHED, &self.url))
    }
}

fn edit(file: &Path, change: impl FnOnce(&str) -> Option<String>) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let text = change(&text).with_context(|| format!("{}: the text to change was not found", file.display()))?;
    Ok(fs::write(file, text)?)
}

/// Runs `cargo xtask …`, which must exit with this code, and returns its stdout.
fn xtask(folder: &Path, arguments: &[&str], exit_code: i32) -> Result<String> {
    let output = cargo(folder, &[&["xtask"], arguments].concat())?;
    let stderr = String::from_utf8(output.stderr)?;
    let holds = output.status.code() == Some(exit_code);
    ensure!(holds, "{arguments:?}: {:?}: {stderr}", output.status);
    Ok(String::from_utf8(output.stdout)?)
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
    let tested = cargo(guards, &["test", "--workspace", "--exclude", "xtask", "--quiet"])?;
    ensure!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stdout));
    acme.release("1.0.0")?;

    // The team that tries it, and adds it.
    let from = ["acme-guards", "--git", url, "--tag", "v1.0.0"];
    let wrong = ["add", "acme-guards", "--git", url, "--tag", "v9.0.0"];
    xtask(app, &wrong, 2)?;
    let tried = xtask(app, &[&["run", "no-force-push", "--pack"], &from[..]].concat(), 0)?;
    tried.starts("no-force-push on PreToolUse Bash, recorded\n");
    tried.has("\nAdd it: cargo xtask add acme-guards --git ");
    tried.lacks("protect-keys");
    let added = xtask(app, &[&["add"], &from[..]].concat(), 1)?;
    for part in [
        "  + package acme-guards: 1.0.0 (",
        "PreToolUse Write|Edit|NotebookEdit; timeout: 5 s; a failure means block",
        "PreToolUse Bash; if: Bash(git push *); timeout: 5 s; a failure means block",
    ] {
        assert!(added.contains(part), "{added}");
    }
    acme.commit(app)?;
    xtask(app, &[&["add", "--yes"], &from[..]].concat(), 0)?;
    for file in ["Cargo.toml", "xtask/Cargo.toml"] {
        assert_eq!(fs::read_to_string(app.join(file))?, acme.as_published(file)?, "{file}");
    }
    xtask(app, &["install"], 0)?;
    acme.commit(app)?;
    if let Some(client) = &client {
        assert!(!can_write_a_key(client, app)?);
    }

    // A teammate, who has the committed files and no binaries.
    let clone = acme.stage.path().join("clone");
    acme.git(acme.stage.path(), &["clone", "--quiet", "app", "clone"])?;
    acme.swap_clones()?;
    let missing = xtask(app, &["install", "--check"], 1)?;
    missing.has("\n  ~ protect-keys, no-force-push: its binary is missing\n");
    xtask(app, &["install"], 0)?;
    xtask(app, &["install", "--check"], 0)?;
    assert_eq!(acme.git(app, &["status", "--porcelain"])?, "");
    acme.swap_clones()?;

    // A new release, which changes, adds and removes hooks.
    edit(&guards.join("guards/Cargo.toml"), |text| {
        Some(text.replace("1.0.0", "1.1.0"))
    })?;
    edit(&guards.join("guards/src/files.rs"), |text| {
        Some(text.replace("timeout = 5", "timeout = 10"))
    })?;
    edit(&guards.join("guards/src/git.rs"), |text| {
        let text = text.replace("no_force_push", "no_forced_push");
        Some(text.replace("if = \"Bash(git push *)\", ", ""))
    })?;
    edit(&guards.join("guards/tests/verdicts.rs"), |text| {
        Some(text.replace("no_force_push", "no_forced_push"))
    })?;
    ensure!(
        cargo(guards, &["update", "--workspace", "--offline", "--quiet"])?
            .status
            .success()
    );
    acme.release("1.1.0")?;
    let changes = [
        "  ~ hook protect-keys: timeout: 5 s → 10 s\n",
        "  + hook no-forced-push: PreToolUse Bash; timeout: 5 s; a failure means block\n",
        "  - hook no-force-push: PreToolUse Bash; if: Bash(git push *); timeout: 5 s; a failure means block\n",
        "  ~ package acme-guards: 1.0.0 (",
        " → 1.1.0 (",
    ];
    // The same command takes another tag.
    let from = ["add", "acme-guards", "--git", url, "--tag", "v1.1.0"];
    let shown = xtask(app, &from, 1)?;
    assert_eq!(acme.git(app, &["status", "--porcelain"])?, "", "the files have changed");
    let updated = xtask(app, &[&from[..], &["--yes"]].concat(), 0)?;
    for text in [shown, updated] {
        assert!(changes.iter().all(|change| text.contains(change)), "{text}");
        assert!(!text.contains("  - package "), "no package is removed: {text}");
    }
    xtask(app, &["install"], 0)?;
    acme.commit(app)?;

    // The teammate again.
    acme.git(&clone, &["pull", "--quiet"])?;
    acme.swap_clones()?;
    let stale = xtask(app, &["install", "--check"], 1)?;
    stale.has("~ protect-keys: its binary was not built from the current source");
    stale.has("no-forced-push: its binary is missing");
    xtask(app, &["install"], 0)?;
    xtask(app, &["install", "--check"], 0)?;
    if let Some(client) = &client {
        assert!(!can_write_a_key(client, app)?);
    }
    acme.swap_clones()?;

    // The pack is removed, by cargo and by its name.
    let remove = [
        "remove", "--quiet", "--package", "xtask", "--target", "cfg(any())", "acme-guards",
    ];
    ensure!(cargo(app, &remove)?.status.success());
    let named = cargo(app, &["xtask", "install"])?;
    String::from_utf8(named.stderr)?.has("names `acme-guards`, which no package of the workspace depends on");
    xtask(app, &["uninstall"], 0)?;
    if let Some(client) = &client {
        assert!(can_write_a_key(client, app)?);
    }
    Ok(())
}
