//! `list` tells which hooks a session has, and what becomes of them; the client shows whether that is true.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use hookkit_tests::xtask::{command, fixture, workspace};
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::{Value, json};

/// A project, a user, an administrator, and a folder outside of any workspace.
struct World {
    project: Project,
    user: tempfile::TempDir,
    managed: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl World {
    fn new() -> Result<Self> {
        Ok(Self {
            project: Project::new()?,
            user: tempfile::tempdir()?,
            managed: tempfile::tempdir()?,
            outside: tempfile::tempdir()?,
        })
    }

    /// What `list` prints for the project, run in a folder.
    fn list_in(&self, folder: &Path, arguments: &[&str]) -> Result<String> {
        let path = |path: &Path| path.to_str().map(str::to_owned).context("a UTF-8 path");
        let output = command(folder, &["list", "--project", &path(self.project.path())?])?
            .args(["--managed", &path(self.managed.path())?])
            .args(arguments)
            .env("CLAUDE_CONFIG_DIR", self.user.path())
            .output()?;
        let stderr = String::from_utf8(output.stderr)?;
        ensure!(output.status.success(), "{stderr}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn list(&self, arguments: &[&str]) -> Result<String> {
        self.list_in(self.outside.path(), arguments)
    }

    fn rows(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let listed = self.list(&[&["--json"], arguments].concat())?;
        Ok(listed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }

    fn write_user(&self, path: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.user.path().join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(fs::write(path, content)?)
    }
}

/// Hooks that each tell their name, once they run.
#[derive(Default)]
struct Hooks(serde_json::Map<String, Value>);

impl Hooks {
    fn on(mut self, event: &str, matcher: &str, name: &str, more: Value) -> Self {
        let mut handler = json!({"type": "command", "command": format!("echo {name} >> \"$RAN\"")});
        let more = more.as_object().cloned().unwrap_or_default();
        handler
            .as_object_mut()
            .into_iter()
            .for_each(|handler| handler.extend(more.clone()));
        let list = self.0.entry(event).or_insert_with(|| json!([]));
        let groups = list.as_array_mut().into_iter();
        groups.for_each(|list| list.push(json!({"matcher": matcher, "hooks": [handler]})));
        self
    }

    fn text(self) -> String {
        json!({"hooks": self.0}).to_string()
    }
}

/// A world with hooks in each of its files.
fn world() -> Result<World> {
    let none = || json!({});
    let world = World::new()?;
    let project = Hooks::default()
        .on("PreToolUse", "Bash", "in-project", none())
        .on("PreToolUse", "Edit|Write", "of-edits", none())
        .on("PreToolUse", "bash", "in-lower-case", none())
        .on("PreToolUse", "Ba(", "no-expression", none())
        .on("PreToolUse", "^B.s", "by-expression", none())
        .on("PreToolUse", "", "if-git", json!({"if": "Bash(git *)"}))
        .on("PreToolUse", "", "if-true", json!({"if": "Bash(true)"}))
        .on("PreToolUse", "", "if-edit", json!({"if": "Edit(src/**)"}))
        .on("PostToolUse", "Bash", "bad", json!({"timeout": 0}))
        .on("PostToolUse", "Bash", "after", none())
        .on("SessionStart", "startup", "at-start", none())
        .on("SessionStart", "resume", "at-resume", none())
        .on("SessionStart", "", "with-if", json!({"if": "Bash"}))
        .on("SessionStart", "", "with-empty-if", json!({"if": ""}))
        .on("Stop", "Bash", "at-stop", none())
        .on("PreToolUse", "*", "several", none());
    world.project.write(".claude/settings.json", project.text())?;
    let local = Hooks::default()
        .on("PreToolUse", "*", "several", none())
        .on("PreToolUse", "Bash", "lost", json!({"timeout": "1"}))
        .on("Stop", "", "lost-too", none());
    world.project.write(".claude/settings.local.json", local.text())?;
    let mut user: Value = serde_json::from_str(
        &Hooks::default()
            .on("PreToolUse", "Bash", "several", json!({"statusMessage": "twice"}))
            .on("sessionStart", "", "misspelt", none())
            .on("SessionStart", "startup|clear", "of-user", none())
            .text(),
    )?;
    let shop = world.outside.path().canonicalize()?.join("shop");
    user["enabledPlugins"] = json!({"near@shop": true, "broken@shop": true, "bare@shop": true, "far@shop": true, "half@shop": true, "off@shop": false});
    user["extraKnownMarketplaces"] = json!({"shop": {"source": {"source": "directory", "path": shop}}});
    world.write_user("settings.json", user.to_string())?;
    plugins(&world, &shop)?;
    Ok(world)
}

fn plugins(world: &World, shop: &Path) -> Result<()> {
    let write = |path: &str, content: &str| -> Result<()> {
        let path = shop.join(path);
        fs::create_dir_all(path.parent().context("it is in a folder")?)?;
        Ok(fs::write(path, content)?)
    };
    let hooks = |name: &str| {
        let hooks = Hooks::default().on("PreToolUse", "Bash", name, json!({}));
        hooks.on("PreToolUse", "Bash", "several", json!({}))
    };
    let names = ["near", "broken", "off"];
    let offers = names.map(|name| json!({"name": name, "source": format!("./{name}")}));
    let of_entry = Hooks::default().on("PreToolUse", "Bash", "of-entry", json!({}));
    let bare = json!({"name": "bare", "source": "./bare", "strict": false, "hooks": of_entry.0});
    // What is not in a folder of this machine is read from the client's copy.
    let far = json!({"name": "far", "source": {"source": "url", "url": "file:///nowhere"}});
    let half = json!({"name": "half", "source": "./half"});
    let offers: Vec<Value> = offers.into_iter().chain([bare, far, half]).collect();
    let market = json!({"name": "shop", "owner": {"name": "somebody"}, "plugins": offers});
    write(".claude-plugin/marketplace.json", &market.to_string())?;
    for name in names {
        write(
            &format!("{name}/.claude-plugin/plugin.json"),
            &json!({"name": name}).to_string(),
        )?;
    }
    let inline = Hooks::default().on("PreToolUse", "Bash", "of-manifest", json!({}));
    let manifest = json!({"name": "near", "hooks": ["./more.json", inline.0]});
    write("near/.claude-plugin/plugin.json", &manifest.to_string())?;
    write(
        "near/more.json",
        &Hooks::default().on("PreToolUse", "Bash", "of-more", json!({})).text(),
    )?;
    write("near/hooks/hooks.json", &hooks("of-plugin").text())?;
    write("bare/hooks/hooks.json", &hooks("of-bare").text())?;
    write("off/hooks/hooks.json", &hooks("of-off").text())?;
    write("copies/far/hooks/hooks.json", &hooks("of-copy").text())?;
    let copy = json!([{"scope": "user", "installPath": shop.join("copies/far"), "version": "1.0.0"}]);
    let copies = json!({"version": 2, "plugins": {"far@shop": copy}});
    world.write_user("plugins/installed_plugins.json", copies.to_string())?;
    // One file of a plugin that is no JSON costs its own hooks alone.
    let inline = Hooks::default().on("PreToolUse", "Bash", "of-half", json!({}));
    let manifest = json!({"name": "half", "hooks": inline.0});
    write("half/.claude-plugin/plugin.json", &manifest.to_string())?;
    write("half/hooks/hooks.json", "{\"hooks\": {},}")?;
    let broken = hooks("of-broken").on("PreToolUse", "", "bad", json!({"type": "none"}));
    write("broken/hooks/hooks.json", &broken.text())?;
    world.write_user("skills/kit/.claude-plugin/plugin.json", "{\"name\": \"kit\"}")?;
    world.write_user("skills/kit/hooks/hooks.json", hooks("of-skill").text())?;
    let of_project = Hooks::default().on("PreToolUse", "Bash", "of-project-skill", json!({}));
    let team = ".claude/skills/team";
    world
        .project
        .write(&format!("{team}/.claude-plugin/plugin.json"), "{\"name\": \"team\"}")?;
    world
        .project
        .write(&format!("{team}/hooks/hooks.json"), of_project.text())
}

/// The name that a hook of [`Hooks`] tells.
fn told(row: &Value) -> Option<String> {
    let command = row["hook"]["command"].as_str()?;
    command.split(' ').nth(1).map(str::to_owned)
}

/// What runs on a subject by the word of `list`, as often as it does; what needs a call that fits an `if` aside.
fn named(world: &World, subject: &str) -> Result<Vec<String>> {
    let rows = world.rows(&["--for", subject])?;
    let runs = rows.iter().filter(|row| row["runs"] == true);
    let mut named: Vec<String> = runs.filter(|row| row["where"].is_null()).filter_map(told).collect();
    named.sort();
    Ok(named)
}

#[test]
fn what_list_names_is_what_runs() -> Result<()> {
    const NAME: &str = "what_list_names_is_what_runs";
    let world = world()?;
    let on_bash = [
        "by-expression",
        "in-project",
        "of-copy",
        "of-entry",
        "of-half",
        "of-manifest",
        "of-more",
        "of-plugin",
        "of-project-skill",
        "of-skill",
        "several",
        "several",
        "several",
        "several",
    ];
    assert_eq!(named(&world, "PreToolUse:Bash")?, on_bash);
    assert_eq!(
        named(&world, "SessionStart:startup")?,
        ["at-start", "of-user", "with-empty-if"]
    );
    assert_eq!(named(&world, "PostToolUse:Bash")?, ["after"]);
    assert_eq!(named(&world, "Stop")?, ["at-stop"]);
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let ran = world.user.path().join("ran");
    let outcome = Session::new(&client, world.project.path())
        .config_dir(world.user.path())
        .env("RAN", &ran)
        .allow(&["Bash"])
        .turn(Turn::call("Bash", json!({"command": "true", "description": "Nothing"})))
        .turn(Turn::text("Done."))
        .run("go")?;
    let mut expected: Vec<String> = Vec::new();
    for subject in ["PreToolUse:Bash", "SessionStart:startup", "PostToolUse:Bash", "Stop"] {
        expected.extend(named(&world, subject)?);
    }
    // The only one of those with an `if` that this call fits.
    expected.push("if-true".to_owned());
    expected.sort();
    let text = fs::read_to_string(&ran)?;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, expected, "{}", outcome.debug());
    Ok(())
}

/// Which copy of a hook counts is seen by what its failure means.
#[test]
fn of_one_hook_in_several_files_the_named_copy_counts() -> Result<()> {
    const NAME: &str = "of_one_hook_in_several_files_the_named_copy_counts";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let guard = |on_failure: &str| {
        let handler = json!({"type": "command", "command": "exit 1", "onFailure": on_failure});
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}).to_string()
    };
    for blocks in ["settings.json", ".claude/settings.json", ".claude/settings.local.json"] {
        let world = World::new()?;
        let on_failure = |path: &str| guard(if path == blocks { "block" } else { "continue" });
        world.write_user("settings.json", on_failure("settings.json"))?;
        for path in [".claude/settings.json", ".claude/settings.local.json"] {
            world.project.write(path, on_failure(path))?;
        }
        let rows = world.rows(&["--for", "PreToolUse:Bash"])?;
        let runs: Vec<&Value> = rows.iter().filter(|row| row["runs"] == true).collect();
        assert_eq!((rows.len(), runs.len()), (3, 1));
        let outcome = Session::new(&client, world.project.path())
            .config_dir(world.user.path())
            .allow(&["Bash"])
            .turn(Turn::call(
                "Bash",
                json!({"command": "touch ran.txt", "description": "Run it"}),
            ))
            .turn(Turn::text("Done."))
            .run("go")?;
        let is_blocked = !world.project.exists("ran.txt");
        assert_eq!(
            is_blocked,
            runs[0]["hook"]["onFailure"] == "block",
            "{blocks}\n{}",
            outcome.debug()
        );
    }
    Ok(())
}

#[test]
fn each_hook_is_told_with_its_file_and_why_it_does_not_run() -> Result<()> {
    let world = world()?;
    let listed = world.list(&["--for", "PreToolUse:Bash"])?;
    for said in [
        "On PreToolUse Bash Claude Code runs\n",
        ".claude/settings.json:1 (project)\n    PreToolUse Bash: echo in-project",
        "    where the call fits `if` Bash(git *)\n",
        "    not run: the matcher `bash` is a list of whole names, in which case counts\n",
        "    not run: the matcher `Ba(` is no regular expression: `(` is never closed\n",
        "    not run: its `if` is for Edit\n",
        "settings.local.json: line 1, column",
        "settings.json:1 is the same hook, and that one counts\n",
        "hooks.json:1 (plugin near@shop)\n",
    ] {
        assert!(listed.contains(said), "{said}\n{listed}");
    }
    let listed = world.list(&[])?;
    for said in [
        "There is no cargo workspace here",
        "settings.local.json (local): Claude Code reads nothing of it\n",
        "PreToolUse bash: echo in-lower-case >> \"$RAN\"\n        never runs for that: `bash` matches no tool; did you mean `Bash`?\n",
        "`sessionStart` is no event: Claude Code ignores this key; write `SessionStart`",
        "never runs: it has an `if`, which never holds on SessionStart",
        "hooks/hooks.json (plugin broken@shop): Claude Code reads nothing of it\n",
    ] {
        assert!(listed.contains(said), "{said}\n{listed}");
    }
    assert!(!listed.contains("off@shop"), "{listed}");
    let only = world.list(&["--scope", "user"])?;
    assert!(only.contains("of-user") && !only.contains("in-project"), "{only}");
    Ok(())
}

#[test]
fn a_row_says_where_and_what() -> Result<()> {
    let world = world()?;
    let rows = world.rows(&[])?;
    let row = |name: &str| {
        rows.iter()
            .find(|row| told(row).as_deref() == Some(name))
            .context("it is listed")
    };
    let of_plugin = row("of-plugin")?;
    assert_eq!(
        (
            &of_plugin["kind"],
            &of_plugin["scope"],
            &of_plugin["line"],
            &of_plugin["in_force"]
        ),
        (&json!("foreign"), &json!("plugin near@shop"), &json!(1), &json!(true))
    );
    let lower = row("in-lower-case")?;
    assert_eq!(
        (&lower["matches_nothing"], &of_plugin["matches_nothing"]),
        (&json!(["`bash` matches no tool; did you mean `Bash`?"]), &json!([]))
    );
    let lost = row("lost-too")?;
    assert_eq!(lost["in_force"], false);
    assert!(
        lost["finding"]
            .as_str()
            .is_some_and(|finding| finding.contains("`timeout` should be")),
        "{lost}"
    );
    let files: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["kind"] == "file")
        .filter_map(|row| row["scope"].as_str())
        .collect();
    assert_eq!(
        files,
        BTreeSet::from(["local", "plugin broken@shop", "plugin half@shop", "project", "user"])
    );
    Ok(())
}

#[test]
fn what_the_managed_settings_turn_off_is_told_with_the_line() -> Result<()> {
    let world = world()?;
    let managed = world.managed.path().join("managed-settings.json");
    fs::write(&managed, "{\n  \"allowManagedHooksOnly\": true\n}\n")?;
    let listed = world.list(&["--for", "Stop"])?;
    let said = format!(
        "not run: it is turned off by `allowManagedHooksOnly` in {}:2\n",
        managed.display()
    );
    assert!(
        listed.contains("Nothing runs on Stop in /") && listed.contains(&said),
        "{listed}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_meant_is_refused() -> Result<()> {
    let world = World::new()?;
    let refused = |subject: &str| match world.list(&["--for", subject]) {
        Ok(listed) => listed,
        Err(err) => err.to_string(),
    };
    assert_eq!(
        refused("PreToolUse:Bsah"),
        "error: `Bsah` is no tool that is known here; did you mean `Bash`?\n"
    );
    assert_eq!(refused("Stopp"), "error: `Stopp` is no event; did you mean `Stop`?\n");
    Ok(())
}

#[test]
fn a_workspace_without_hooks_hides_no_other_hook() -> Result<()> {
    let world = world()?;
    let manifest = "[package]\nname = \"empty\"\n\n[workspace]\n";
    fs::create_dir(world.outside.path().join("src"))?;
    fs::write(world.outside.path().join("src/lib.rs"), "")?;
    fs::write(world.outside.path().join("Cargo.toml"), manifest)?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    let output = command(world.outside.path(), &["list", "--project", path])?
        .env("CLAUDE_CONFIG_DIR", world.user.path())
        .output()?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("has hooks: a pack is a library crate"), "{stderr}");
    assert!(stdout.contains("echo in-project"), "{stdout}");
    Ok(())
}

/// What `list` says of a hook of the fixture's.
fn own(world: &World, workspace: &Path, hook: &str) -> Result<Value> {
    let listed = world.list_in(workspace, &["--json"])?;
    let mut rows = listed.lines().map(serde_json::from_str::<Value>);
    let row = rows.find(|row| row.as_ref().is_ok_and(|row| row["name"] == hook));
    row.context("it is listed")?.map_err(Into::into)
}

#[test]
fn an_own_hook_is_told_with_what_became_of_it() -> Result<()> {
    let world = World::new()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?.to_owned();
    let install = |arguments: &[&str]| -> Result<()> {
        let output = command(fixture()?, &["install", "--project", &path, "--hook", "printing-guard"])?
            .args(arguments)
            .env("CLAUDE_CONFIG_DIR", world.user.path())
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    let states = || -> Result<Vec<(String, String)>> {
        let row = own(&world, fixture()?, "printing-guard")?;
        let places = row["places"].as_array().context("a list")?.iter();
        let word = |place: &Value, key: &str| place[key].as_str().unwrap_or_default().to_owned();
        Ok(places
            .map(|place| (word(place, "scope"), word(place, "state")))
            .collect())
    };
    assert!(states()?.is_empty());
    install(&[])?;
    install(&["--scope", "local"])?;
    let state = |project: &str| {
        let words = |scope: &str, state: &str| (scope.to_owned(), state.to_owned());
        vec![words("project", project), words("local", "up-to-date")]
    };
    assert_eq!(states()?, state("up-to-date"));
    // A failure of it refuses in both; where it cannot be started the file that the team shares does not.
    let listed = world.list_in(fixture()?, &[])?;
    let goes_on = "    where its binary is missing, as in a fresh clone, Claude Code goes on without it\n";
    let (of_project, of_local) = listed.split_once("\n  local: ").context("it is in both")?;
    assert!(
        of_project.ends_with(goes_on.trim_end()) && !of_local.contains(goes_on),
        "{listed}"
    );
    let row = own(&world, fixture()?, "printing-guard")?;
    let [project, local] = [0, 1].map(|at| &row["places"][at]["without_binary"]);
    assert_eq!((project, local), (&json!("continue"), &json!("block")));
    let written = world.project.read(".claude/settings.json")?;
    ensure!(written.contains("\"timeout\": 10"), "{written}");
    world.project.write(
        ".claude/settings.json",
        written.replace("\"timeout\": 10", "\"timeout\": 11"),
    )?;
    assert_eq!(states()?, state("edited"));
    world.project.write(".claude/settings.json", &written)?;
    let binary = world.project.path().join(".claude/hookkit/fixture/bin/printing-guard");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o644))?;
    assert_eq!(states()?, state("missing-binary"));
    let listed = world.list_in(fixture()?, &["--for", "PreToolUse:Bash"])?;
    assert_eq!(listed.matches("its binary is missing").count(), 1, "{listed}");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755))?;
    world.project.write(".claude/settings.json", "{}")?;
    assert_eq!(states()?, state("unnamed"));
    world.project.write(".claude/settings.json", &written)?;

    // Which of them runs is told without a build, and both are named, since their commands are not the same.
    let listed = world.list_in(fixture()?, &["--for", "PreToolUse:Bash", "--json"])?;
    let rows: Vec<Value> = listed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let ours = rows
        .iter()
        .filter(|row| row["kind"] == "own" && row["name"] == "printing-guard" && row["runs"] == true);
    assert_eq!(ours.count(), 2, "{listed}");
    world
        .project
        .write(".claude/settings.local.json", "{\"disableAllHooks\": true}")?;
    let listed = world.list_in(fixture()?, &[])?;
    let of_pack = "\n\nPack fixture-hooks 0.0.0\n\n";
    assert_eq!(listed.matches(of_pack).count(), 1, "{listed}");
    let said = "project: up to date";
    let off = "    never runs: it is turned off by `disableAllHooks` in ";
    assert!(listed.contains(said) && listed.contains(off), "{listed}");
    Ok(())
}

/// A hook that says something at the end of a turn.
const SAYS: &str = "use hookkit::prelude::*;\n\n/// Says it.\n#[hook(Stop, timeout = 5)]\npub fn say() {}\n";

#[test]
fn a_hook_that_is_declared_otherwise_by_now_is_stale() -> Result<()> {
    let world = World::new()?;
    let folder = workspace("stale", SAYS)?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    let output = command(&folder, &["install", "--project", path])?.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    workspace("stale", &SAYS.replace("timeout = 5", "timeout = 6"))?;
    assert_eq!(own(&world, &folder, "say")?["places"][0]["state"], "stale");
    workspace("stale", &SAYS.replace("say()", "tell()"))?;
    let gone = own(&world, &folder, "say")?;
    assert_eq!(
        (&gone["gone"], &gone["places"][0]["state"]),
        (&json!(true), &json!("stale"))
    );
    Ok(())
}
