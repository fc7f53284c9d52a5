//! Damaged plugins of `package` in the real client: its behavior, and the findings of `cargo xtask doctor`.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use hookkit_tests::plugins::{self, Call, GUARD, NAME, OBSERVER, damages, differences};
use hookkit_tests::record::Asked;
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::{text, xtask_ok};
use hookkit_tests::{Project, Session, Turn, World, client, parallel};
use serde_json::json;

/// The version of the client that the outcomes of calls were observed in.
const OBSERVED_IN: &str = "2.1.332";

/// Returns a project with the plugin, whose guard and observer are real.
fn packaged() -> Result<Project> {
    let project = Project::new()?;
    let hooks = ["--hook", GUARD, "--hook", OBSERVER];
    let arguments = ["package", "--name", NAME, "--into", text(project.path())?];
    xtask_ok(fixture()?, &[&arguments[..], &hooks].concat())?;
    Ok(project)
}

/// Copies a folder, with links and modes.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    ensure!(status.success(), "cp fails");
    Ok(())
}

#[test]
fn the_client_treats_damaged_plugins_as_observed() -> Result<()> {
    let client = client!("the_client_treats_damaged_plugins_as_observed");
    assert_eq!(OBSERVED_IN, client::VERSION);
    let made = packaged()?;
    let asked = Asked::of("damaged-plugins")?;
    parallel::each(2, &damages(), |damage| {
        let world = World::new()?;
        world.project.write(".claude/settings.json", "{}")?;
        copy(&made.path().join(".claude/skills"), &world.project.path().join(".claude/skills"))?;
        let plugin = world.project.path().join(".claude/skills").join(NAME);
        plugins::damage(&damage.name, &plugin)?;
        let mut wrong = differences(damage, &world.ask(&[])?.rows);
        if !asked.before(&format!("{}: {}", damage.name, damage.call), &[world.project.path()])? {
            let (call, ran, results) = calls(&client, &world.project)?;
            if format!("{call:?}") != damage.call || !ran {
                wrong.push(format!("{}: {call:?}, not {}; Bash ran: {ran}; {results:#?}", damage.name, damage.call));
            }
        }
        ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    })?;
    asked.keep()
}

/// Returns the outcome of a call that the guard denies, `true` if a call ran that the observer looks at, and the tool results.
fn calls(client: &Path, project: &Project) -> Result<(Call, bool, Vec<String>)> {
    let outcome = Session::new(client, project.path())
        .allow(&["Bash", "Write"])
        .turn(Turn::call("Write", json!({"file_path": project.path().join("written"), "content": "x"})))
        .turn(Turn::bash("touch ran"))
        .go()?;
    let results = outcome.tool_results();
    let call = Call::of(project.exists("written"), results.first());
    Ok((call, project.exists("ran"), results))
}
