//! A project with hooks from another team's repository, for a second developer, in a worktree and in CI.

use hmac_sha256::Hash;
use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{built, example};

/// The teams of this test: the repository of the guards, and clones of it and of an application.
///
/// They are always at the same path, since cargo rebuilds everything at another one.
struct Teams {
    stage: Stage,
}

const COMMITTED: [&str; 4] =
    [".claude/settings.json", ".claude/hookkit.toml", ".claude/hookkit.lock", ".claude/hookkit.sh"];

impl Teams {
    /// Returns the guards, with their first release, and an application without hooks.
    fn new() -> Result<Self> {
        let teams = Self { stage: Stage::with_xtask()? };
        example("acme-guards", &teams.path("made"))?;
        fs::create_dir_all(teams.path("application"))?;
        fs::write(teams.path("application/README.md"), "An application.\n")?;
        for repository in ["made", "application"] {
            teams.git(repository, &["init", "--quiet", "--initial-branch=main", "--template="]);
            teams.commit(repository);
        }
        teams.clone("made", "guards.git", &["--bare"])?;
        teams.clone("guards.git", "platform/hooks", &[])?;
        Ok(teams)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.stage.path().join(name)
    }

    fn git(&self, repository: &str, arguments: &[&str]) -> String {
        test_support::git(self.path(repository), arguments)
    }

    fn clone(&self, from: &str, to: &str, options: &[&str]) -> Result<()> {
        let url = format!("file://{}", self.path(from).display());
        let to = self.path(to);
        let clone = [&["clone", "--quiet", "--template="], options, &[&url, text(&to)?]].concat();
        self.git("made", &clone);
        Ok(())
    }

    fn commit(&self, repository: &str) {
        self.git(repository, &["add", "--all"]);
        self.git(repository, &["commit", "--quiet", "--message", "work"]);
    }

    /// Returns the files of a clone that git reports as changed or untracked.
    fn status(&self, repository: &str) -> String {
        self.git(repository, &["status", "--short", "--untracked-files=all"])
    }

    /// Installs from a clone of the guards.
    ///
    /// Moves the clone to the place of `sync`'s clone for the build: flags contain the path, and with two paths cargo
    /// would build everything twice.
    fn install(&self, guards: &str, application: &str, more: &[&str]) -> Result<Output> {
        let (clone, guards, aside) = (self.cached()?, self.path(guards), self.path("aside"));
        fs::create_dir_all(&clone)?;
        fs::rename(&clone, &aside)?;
        fs::rename(&guards, &clone)?;
        let application = self.path(application);
        let arguments = [&["install", "--project", text(&application)?], more].concat();
        let output = command(&clone, &arguments)?.env("CARGO_TARGET_DIR", built()).output();
        fs::rename(&clone, &guards)?;
        fs::rename(&aside, &clone)?;
        // git would take the empty folder for a clone.
        let _ = fs::remove_dir(&clone);
        Ok(output?)
    }

    /// Returns the folder of the clone that `sync` makes of the guards.
    fn cached(&self) -> Result<PathBuf> {
        let url = self.git("platform/hooks", &["remote", "get-url", "origin"]);
        let key = &Hash::hash(url.trim_end().as_bytes())[..8];
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(self.path("cache/hookkit/sources").join(key))
    }

    /// Runs the command of a developer who has no clone of the guards.
    fn sync(&self, application: &str, more: &[&str]) -> Result<Output> {
        self.sync_with(application, more, &[])
    }

    fn sync_with(&self, application: &str, more: &[&str], variables: &[(&str, &str)]) -> Result<Output> {
        let mut sync = command(&self.path(application), &[&["sync"], more].concat())?;
        sync.env("XDG_CACHE_HOME", self.path("cache"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("CARGO_TARGET_DIR", built());
        Ok(sync.envs(variables.iter().copied()).output()?)
    }

    /// Returns the folder of an application's binaries.
    fn bin(&self, application: &str) -> PathBuf {
        self.path(application).join(".claude/hookkit/acme-guards/bin")
    }
}

/// Returns the output of a command, which must exit with this code.
fn output_of(mut output: Output, exit_code: i32) -> Result<String> {
    Ok(output.both(exit_code)?.concat())
}

/// Returns `true` if a session in the project can force a push. Fails if it cannot run other commands.
fn can_force(client: &Path, project: &Path) -> Result<bool> {
    let outcome = Session::new(client, project)
        .allow(&["Bash"])
        .turn(Turn::bash("git push --force nowhere || touch pushed"))
        .turn(Turn::bash("touch ran"))
        .go()?;
    ensure!(project.join("ran").exists(), "{:?}", outcome.tool_results());
    fs::remove_file(project.join("ran"))?;
    Ok(fs::remove_file(project.join("pushed")).is_ok())
}

/// Checks that the user and the model read a text as a session starts.
fn ensure_read(client: &Path, project: &Path, text: &str) -> Result<()> {
    let outcome = Session::new(client, project).go()?;
    let has = |value: &Value| value.to_string().contains(text);
    let is_read = outcome.all_requests().iter().any(|request| has(&request.body)) && outcome.events().iter().any(has);
    ensure!(is_read, "{text}: {:?}", outcome.events());
    Ok(())
}

#[test]
fn a_clone_of_a_project_gets_its_hooks_with_one_command() -> Result<()> {
    let client = client::require("a_clone_of_a_project_gets_its_hooks_with_one_command");
    let teams = Teams::new()?;
    let guarded = |application: &str| -> Result<()> {
        let Some(client) = &client else { return Ok(()) };
        ensure!(!can_force(client, &teams.path(application))?, "{application} is not guarded");
        Ok(())
    };

    // The first developer of the application installs one of the guards.
    let chosen = ["--hook", "no-force-push"];
    output_of(teams.install("platform/hooks", "application", &chosen)?, 0)?;
    let mut status = COMMITTED.map(|file| format!("?? {file}\n"));
    status.sort();
    assert_eq!(teams.status("application"), status.concat());
    let sources = fs::read_to_string(teams.path("application").join(COMMITTED[1]))?;
    sources.has("/guards.git\"\n");
    sources.has("\"no-force-push\"");
    teams.commit("application");

    // The second one has no clone of the guards, and has not accepted them. The user and the model read a note about
    // the missing hooks.
    teams.clone("application", "second/app", &[])?;
    if let Some(client) = &client {
        let missing = "those of acme-guards, are not built on this machine: no-force-push. ";
        ensure_read(client, &teams.path("second/app"), missing)?;
    }
    output_of(teams.sync("second/app", &["--check"])?, 0)?;
    let refused = output_of(teams.sync("second/app", &[])?, 2)?;
    refused.starts("  no-force-push: PreToolUse Bash\n");
    assert!(!teams.cached()?.exists(), "{refused}");
    output_of(teams.sync("second/app", &["--accept", "acme-guards"])?, 0)?;
    assert_eq!(files::names(&teams.bin("second/app")), ["no-force-push"]);
    assert_eq!(teams.status("second/app"), "");
    guarded("second/app")?;

    // A worktree has them immediately.
    teams.git("second/app", &["worktree", "add", "--quiet", "--detach", "../tree"]);
    guarded("second/tree")?;
    assert_eq!(teams.status("second/tree"), "");
    if let Some(client) = &client {
        let app = teams.path("second/app");
        let push = json!({"command": "git push --force nowhere", "description": "Push it"});
        let outcome = Session::new(client, &app)
            .arguments(&["--worktree", "made"])
            .allow(&["Bash"])
            .turn(Turn::call("Bash", push))
            .go()?;
        let results = outcome.tool_results().concat();
        assert!(results.contains("overwrites the commits of others"), "{results}");
        assert!(app.join(".claude/worktrees/made/.claude/hookkit").is_dir());
        // The client has locked it.
        let remove = ["worktree", "remove", "--force", "--force", ".claude/worktrees/made"];
        teams.git("second/app", &remove);
        assert_eq!(teams.status("second/app"), "");
    }
    // Acceptance is for a source, not for a project: `sync` does not ask in another clone.
    let synced = teams.sync("second/tree", &["--frozen", "--json"])?.out(0)?;
    let rows = Documented::read()?.rows("sync", &synced)?;
    assert!(rows.iter().any(|row| row["hooks"] == json!(["no-force-push"])), "{rows:?}");
    assert_eq!(teams.status("second/tree"), "");
    guarded("second/tree")?;

    // One developer installs a release of the guards, and the other has it after a pull.
    let git = teams.path("platform/hooks/guards/src/git.rs");
    fs::write(&git, fs::read_to_string(&git)?.replace("timeout = 5", "timeout = 7"))?;
    teams.commit("platform/hooks");
    teams.git("platform/hooks", &["push", "--quiet", "origin", "main"]);
    output_of(teams.install("platform/hooks", "application", &[])?, 0)?;
    let changed = teams.git("application", &["diff", "--stat", "--", "."]);
    assert_eq!(changed.lines().count(), 4, "{changed}");
    teams.commit("application");
    teams.git("second/app", &["pull", "--quiet"]);
    output_of(teams.sync("second/app", &[])?, 0)?;
    assert_eq!(teams.status("second/app"), "");
    guarded("second/app")?;

    // The same for a release that only changes a function. Its second install changes nothing.
    fs::write(&git, fs::read_to_string(&git)?.replace("\"-f\"", "\"-f\" | \"+main\""))?;
    teams.commit("platform/hooks");
    teams.git("platform/hooks", &["push", "--quiet", "origin", "main"]);
    for _ in 0..2 {
        output_of(teams.install("platform/hooks", "application", &[])?, 0)?;
        let changed = teams.git("application", &["diff", "--name-only", "--", "."]);
        assert_eq!(changed, format!("{}\n{}\n", COMMITTED[2], COMMITTED[1]));
    }
    let rev = |repository: &str| teams.git(repository, &["rev-parse", "HEAD"]);
    let sources = fs::read_to_string(teams.path("application").join(COMMITTED[1]))?;
    assert!(sources.contains(rev("platform/hooks").trim_end()), "{sources}");
    teams.commit("application");
    let binary = teams.bin("second/app").join("no-force-push");
    let old = fs::read(&binary)?;
    teams.git("second/app", &["pull", "--quiet"]);
    if let Some(client) = &client {
        let old = "those of acme-guards, are not those of hookkit.lock";
        ensure_read(client, &teams.path("second/app"), old)?;
    }
    // With the environment of a git hook in the application.
    let head = rev("second/app");
    let git_dir = teams.path("second/app/.git");
    output_of(teams.sync_with("second/app", &[], &[("GIT_DIR", text(&git_dir)?)])?, 0)?;
    assert_eq!(rev("second/app"), head);
    assert!(old != fs::read(&binary)?, "the binary is not that of the release");
    // The files do not agree if hookkit.toml names a commit that was not installed.
    let manifest = teams.path("second/app").join(COMMITTED[1]);
    let sources = fs::read_to_string(&manifest)?;
    let other = sources.replace(rev("platform/hooks").trim_end(), rev("application").trim_end());
    fs::write(&manifest, other)?;
    let found = output_of(teams.sync("second/app", &["--check"])?, 1)?;
    found.has("`acme-guards`: hookkit.toml names the commit ");
    let refused = output_of(teams.sync("second/app", &[])?, 2)?;
    assert!(refused.contains("in a branch or a tag: was it pushed?"), "{refused}");
    fs::write(&manifest, sources)?;

    // `install` fails in an older clone of the guards, and in another workspace of the same name.
    teams.clone("guards.git", "old", &[])?;
    teams.git("old", &["checkout", "--quiet", "--detach", "HEAD~1"]);
    let refused = output_of(teams.install("old", "second/app", &[])?, 2)?;
    refused.has("does not have the commit that the project's hooks were installed from");
    teams.git("old", &["remote", "set-url", "origin", "https://git.example.com/fork"]);
    let refused = output_of(teams.install("old", "second/app", &[])?, 2)?;
    refused.has("is the name of another workspace's hooks");
    assert_eq!(teams.status("second/app"), "");

    // Without a network and without the repository, `sync` uses the fetched commits.
    fs::rename(teams.path("guards.git"), teams.path("away.git"))?;
    teams.clone("application", "third", &[])?;
    let offline = [("CARGO_NET_OFFLINE", "true")];
    output_of(teams.sync_with("third", &["--frozen"], &offline)?, 0)?;
    guarded("third")?;
    fs::rename(teams.path("away.git"), teams.path("guards.git"))?;

    // CI reports an edit of the settings, and builds nothing.
    let settings = teams.path("second/app").join(COMMITTED[0]);
    let edited = fs::read_to_string(&settings)?.replace("\"timeout\": 7", "\"timeout\": 70");
    fs::write(&settings, edited)?;
    let found = output_of(teams.sync("second/app", &["--check"])?, 1)?;
    found.has("`no-force-push` of `acme-guards`: its entry in the settings differs from the installed one");
    output_of(teams.sync("second/app", &["--frozen"])?, 2)?;
    output_of(teams.sync("second/app", &[])?, 0)?;
    assert_eq!(teams.status("second/app"), "");
    Ok(())
}

#[test]
fn sync_check_compares_a_projects_own_hooks_with_their_code() -> Result<()> {
    const CODE: &str = "/// Observes.\n#[hookkit::hook(Stop)]\npub fn observe() {}\n";
    let stage = Stage::with_hooks("own", CODE, "")?;
    let project = text(stage.path())?;
    xtask_ok(&stage.app(), &["install", "--project", project])?;
    let sources = fs::read_to_string(stage.path().join(COMMITTED[1]))?;
    sources.has("path = \"app\"\n");
    sources.lacks("hooks = [");
    let check = |code| output_of(xtask(stage.path(), &["sync", "--check", "--project", project])?, code);
    check(0)?;
    stage.write("app/src/lib.rs", &format!("{CODE}// Changed.\n"))?;
    let found = check(1)?;
    assert!(found.contains("`app`: its code differs from the installed code"), "{found}");
    stage.write("app/src/lib.rs", CODE)?;
    // Other files next to the code make no difference.
    stage.write("app/README.md", "Changed.\n")?;
    check(0)?;
    fs::remove_file(stage.app().join("Cargo.toml"))?;
    let found = check(1)?;
    assert!(found.contains("`app`: there is no workspace in "), "{found}");
    Ok(())
}
