//! Hooks that an installed client is too old for.

use hookkit_tests::prelude::*;
use hookkit_tests::xtask::findings;

const HOOKS: &str = include_str!("../../fixtures/sources/old-client.txt");

/// A `claude` in PATH that prints a version.
struct Client(tempfile::TempDir);

impl Client {
    fn new(version: &str) -> Result<Self> {
        let folder = test_support::folder();
        let file = folder.path().join("claude");
        files::program(&file, format!("#!/bin/sh\necho '{version} (Claude Code)'\n"))?;
        Ok(Self(folder))
    }

    /// Runs a command of xtask on a project, with this client in PATH.
    fn xtask(&self, workspace: &Path, project: &Project, arguments: &[&str]) -> Result<Output> {
        let path = format!("{}:{}", self.0.path().display(), std::env::var("PATH")?);
        let mut command = command(workspace, arguments)?;
        command.args(["--project", text(project.path())?]).env("PATH", path);
        Ok(command.output()?)
    }

    /// Returns stdout of a command that succeeds.
    fn stdout(&self, workspace: &Path, project: &Project, arguments: &[&str]) -> Result<String> {
        self.xtask(workspace, project, arguments)?.out(0)
    }
}

#[test]
fn install_and_doctor_compare_hooks_with_the_installed_client() -> Result<()> {
    const TABLE: &str = "[workspace.metadata.hookkit]\n";
    let stage = Stage::with_hooks("old-client", HOOKS, "")?;
    let (app, project) = (stage.app(), Project::new()?);
    let manifest = fs::read_to_string(app.join("Cargo.toml"))?;
    let with_min = manifest.replace(TABLE, &format!("{TABLE}min-client = \"2.1.320\"\n"));
    ensure!(with_min != manifest, "{manifest}");

    // These would drop the settings, or show a dialog: they get no entry.
    let (oldest, old) = (Client::new("2.1.100")?, Client::new("2.1.200")?);
    let settings = || project.read(".claude/settings.json");
    for (client, version) in [(&oldest, "2.1.100"), (&old, "2.1.200")] {
        let installed = client.stdout(&app, &project, &["install"])?;
        installed.has(&format!(
            "warning: no entry on DirectoryAdded (`observe`), new in Claude Code 2.1.219: the installed one is \
             {version}: claude update"
        ));
        settings()?.lacks("DirectoryAdded");
        let checked = client.stdout(&app, &project, &["install", "--check"])?;
        checked.starts("Up to date: ");
    }
    let installed = old.stdout(&app, &project, &["install"])?;
    installed.has(
        "warning: the installed Claude Code 2.1.200 does not support `onFailure`, so it goes ahead when the hook cannot be \
         started or fails (`guard`); update it to ",
    );
    let newest = Client::new("2.1.332")?;
    let found = findings(&newest.xtask(&app, &project, &["doctor", "--json"])?)?;
    assert_eq!(found[0]["what"], "the hooks of `app` have no entry on DirectoryAdded");
    let installed_by_newest = newest.stdout(&app, &project, &["install"])?;
    installed_by_newest.has("  + observe: Observes folders.\n");
    settings()?.has("DirectoryAdded");
    // A team's skills are guarded once all have the client for it.
    newest.stdout(&app, &project, &["install"])?.has(
        "warning: no entry on PreSkillShellCommand (`guard`), new in Claude Code 2.1.332: others share these settings, and older clients would show a dialog at each start; once all have 2.1.332 or later, set `min-client = \"2.1.332\"` in ",
    );
    settings()?.lacks("PreSkillShellCommand");
    installed.lacks("is older than");

    fs::write(app.join("Cargo.toml"), with_min)?;
    let check = old.xtask(&app, &project, &["install", "--check"])?.out(1)?;
    check.has("\n  ~ min-client: another value was installed\n");
    let warning = "warning: the installed Claude Code 2.1.200 is older than 2.1.320, the `min-client` of this workspace; update \
                   it: claude update";
    old.stdout(&app, &project, &["install"])?.has(warning);
    // The files are up to date, whatever the client is.
    let check = old.stdout(&app, &project, &["install", "--check"])?;
    check.starts("Up to date: ");
    check.has(warning);

    let lock: Value = serde_json::from_str(&project.read(".claude/hookkit.lock")?)?;
    assert_eq!(lock["app"]["min-client"], "2.1.320");
    let doctor = |client: &Client| findings(&client.xtask(&app, &project, &["doctor", "--json"])?);
    let codes = |rows: &[Value]| -> Vec<String> { rows.iter().map(|row| row["code"].to_string()).collect() };
    let found = doctor(&old)?;
    let [below, too_old] = ["\"below-min-client\"", "\"client-too-old\""];
    assert_eq!(codes(&found), [below, too_old, too_old], "{found:?}");
    let found = doctor(&oldest)?;
    let mut found = found.iter();
    let of_event = found.find(|row| row["what"].to_string().contains("the event DirectoryAdded"));
    let does = &of_event.context("a finding about the event")?["does"];
    assert_eq!(*does, "it ignores the whole settings file, with its permissions and all hooks");
    let found = doctor(&Client::new("2.1.332")?)?;
    assert_eq!(codes(&found), Vec::<String>::new(), "{found:?}");
    Ok(())
}
