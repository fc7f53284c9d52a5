//! `list` on a workspace's own hooks.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use hookkit_tests::World;
use hookkit_tests::workspace::{Stage, fixture};
use hookkit_tests::xtask::command;
use serde_json::{Value, json};

/// A hook at the end of a turn.
const HOOK: &str = "use hookkit::prelude::*;\n\n/// Observes.\n#[hook(Stop, timeout = 5)]\npub fn observe() {}\n";

#[test]
fn a_hook_whose_declaration_has_changed_is_stale() -> Result<()> {
    let world = World::new()?;
    let stage = Stage::with_hooks("stale", HOOK, "")?;
    let folder = stage.app();
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    let output = command(&folder, &["install", "--project", path])?.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    stage.write("app/src/lib.rs", &HOOK.replace("timeout = 5", "timeout = 6"))?;
    assert_eq!(world.own(&folder, "observe")?["places"][0]["state"], "stale");
    stage.write("app/src/lib.rs", &HOOK.replace("observe()", "watch()"))?;
    let gone = world.own(&folder, "observe")?;
    assert_eq!(
        (&gone["gone"], &gone["places"][0]["state"]),
        (&json!(true), &json!("stale"))
    );
    Ok(())
}

#[test]
fn an_own_hook_is_listed_with_its_state() -> Result<()> {
    let world = World::new()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?.to_owned();
    let install = |arguments: &[&str]| -> Result<String> {
        let output = command(fixture()?, &["install", "--hook", "printing-guard"])?
            .args(arguments)
            .env("CLAUDE_CONFIG_DIR", world.user.path())
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    let states = || -> Result<Vec<(String, String)>> {
        let row = world.own(fixture()?, "printing-guard")?;
        let places = row["places"].as_array().context("a list")?.iter();
        let word = |place: &Value, key: &str| place[key].as_str().unwrap_or_default().to_owned();
        Ok(places
            .map(|place| (word(place, "scope"), word(place, "state")))
            .collect())
    };
    assert!(states()?.is_empty());
    let reach = "\nSessions in all folders and linked worktrees of the repository run them.\n";
    assert!(!install(&["--project", &path])?.contains(reach));
    assert!(install(&["--scope", "local", "--project", &path])?.contains(reach));
    let state = |project: &str| {
        let words = |scope: &str, state: &str| (scope.to_owned(), state.to_owned());
        vec![words("project", project), words("local", "installed")]
    };
    assert_eq!(states()?, state("installed"));
    world
        .project
        .git(&["commit", "--quiet", "--allow-empty", "--message", "start"])?;
    world.project.git(&["worktree", "add", "--quiet", "linked"])?;
    let linked = format!("{path}/linked");
    let said = install(&["--scope", "local", "--project", &linked])?;
    let reach = format!(
        "\n{linked} is a linked worktree: only sessions that are started in it run them.\n\
         For sessions in all folders and worktrees of the repository: --project {path}\n"
    );
    assert!(said.contains(&reach), "{said}");
    world.project.git(&["worktree", "remove", "--force", "linked"])?;
    // If the binary is missing, the entry in the local settings blocks, and that in the shared file does not.
    let listed = world.list_in(fixture()?, &[])?;
    let continues = "    where its binary is missing, as in a fresh clone, Claude Code goes on without it\n";
    let (of_project, of_local) = listed.split_once("\n  local: ").context("a line for each file")?;
    assert!(
        of_project.ends_with(continues.trim_end()) && !of_local.contains(continues),
        "{listed}"
    );
    let row = world.own(fixture()?, "printing-guard")?;
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

    // `--for` needs no build, and lists both, since their commands differ.
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
    let state = "project: installed";
    let off = "    never runs: it is turned off by `disableAllHooks` in ";
    assert!(listed.contains(state) && listed.contains(off), "{listed}");
    Ok(())
}
