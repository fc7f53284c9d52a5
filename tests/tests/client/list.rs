//! The client runs the hooks that `cargo xtask list` lists, from all files that it reads.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use hookkit_tests::record::Record;
use hookkit_tests::xtask::command;
use hookkit_tests::{Handlers, Project, Session, Turn, World, client};
use serde_json::{Value, json};

#[test]
fn the_client_runs_the_recorded_hooks() -> Result<()> {
    const NAME: &str = "the_client_runs_the_recorded_hooks";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let world = World::with_handlers()?;
    let ran = world.user.path().join("ran");
    Session::new(&client, world.project.path())
        .config_dir(world.user.path())
        .env("RAN", &ran)
        .allow(&["Bash"])
        .turn(Turn::call("Bash", json!({"command": "true", "description": "Nothing"})))
        .turn(Turn::text("Done."))
        .run("go")?;
    let mut observed: BTreeMap<String, usize> = BTreeMap::new();
    for line in fs::read_to_string(&ran)?.lines() {
        *observed.entry(line.to_owned()).or_default() += 1;
    }
    Record::check("handlers", observed, NAME)
}

/// Each copy has another `onFailure`, so that a failure shows which one the client uses.
#[test]
fn of_copies_in_several_files_the_listed_one_runs() -> Result<()> {
    const NAME: &str = "of_copies_in_several_files_the_listed_one_runs";
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

/// The root's `settings.local.json` also applies in subfolders and in linked worktrees.
#[test]
fn hooks_run_as_listed_in_subfolders_and_linked_worktrees() -> Result<()> {
    const NAME: &str = "hooks_run_as_listed_in_subfolders_and_linked_worktrees";
    let Some(client) = client::require(NAME) else {
        return Ok(());
    };
    let (world, outer) = (World::new()?, Project::new()?);
    let write = |path: &str, name: &str| {
        let text = Handlers::default().on("PreToolUse", "Bash", name, json!({})).text();
        outer.write(path, text)
    };
    outer.write(".gitignore", "settings.local.json\n/linked\n/nested\n")?;
    write(".claude/settings.json", "root")?;
    write("sub/.claude/settings.json", "sub")?;
    outer.git(&["add", "."])?;
    outer.git(&["commit", "--quiet", "--message", "start"])?;
    outer.git(&["worktree", "add", "--quiet", "linked"])?;
    outer.git(&["init", "--quiet", "nested"])?;
    write(".claude/settings.local.json", "root-local")?;
    write("sub/.claude/settings.local.json", "sub-local")?;
    write("linked/.claude/settings.local.json", "linked-local")?;
    for (folder, expected) in [
        ("", &["root", "root-local"][..]),
        ("sub", &["root-local", "sub", "sub-local"]),
        ("linked", &["linked-local", "root", "root-local"]),
        ("linked/sub", &["root-local", "sub"]),
        ("nested", &[]),
    ] {
        let folder = outer.path().join(folder);
        let listed = command(
            world.outside.path(),
            &["list", "--json", "--for", "PreToolUse:Bash", "--managed"],
        )?
        .arg(world.managed.path())
        .arg("--project")
        .arg(&folder)
        .env("CLAUDE_CONFIG_DIR", world.user.path())
        .output()?;
        let rows = String::from_utf8(listed.stdout)?;
        let rows = rows
            .lines()
            .map(serde_json::from_str::<Value>)
            .collect::<Result<Vec<_>, _>>()?;
        let name = |row: &Value| Some(row["hook"]["command"].as_str()?.split(' ').nth(1)?.to_owned());
        let runs = rows.iter().filter(|row| row["runs"] == true).map(name);
        let mut listed: Vec<String> = runs.collect::<Option<_>>().context("a name of each hook")?;
        listed.sort();
        let ran = world.outside.path().join("ran");
        fs::write(&ran, "")?;
        Session::new(&client, &folder)
            .within(outer.path())
            .env("RAN", &ran)
            .allow(&["Bash"])
            .turn(Turn::call("Bash", json!({"command": "true", "description": "Nothing"})))
            .turn(Turn::text("Done."))
            .run("go")?;
        let ran = fs::read_to_string(&ran)?;
        let mut ran: Vec<&str> = ran.lines().collect();
        ran.sort_unstable();
        assert_eq!((ran, &*listed), (expected.to_vec(), &*listed), "{}", folder.display());
        assert_eq!(listed, expected, "{}", folder.display());
    }
    Ok(())
}
