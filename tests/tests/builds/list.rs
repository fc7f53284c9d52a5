//! `list`, after the source of a hook has changed.

use anyhow::{Context, Result, ensure};
use hookkit_tests::World;
use hookkit_tests::workspace::Stage;
use hookkit_tests::xtask::command;
use serde_json::json;

/// A hook that says something at the end of a turn.
const SAYS: &str = "use hookkit::prelude::*;\n\n/// Says it.\n#[hook(Stop, timeout = 5)]\npub fn say() {}\n";

#[test]
fn a_hook_that_is_declared_otherwise_by_now_is_stale() -> Result<()> {
    let world = World::new()?;
    let stage = Stage::with_hooks("stale", SAYS, "")?;
    let folder = stage.app();
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    let output = command(&folder, &["install", "--project", path])?.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    stage.write("app/src/lib.rs", &SAYS.replace("timeout = 5", "timeout = 6"))?;
    assert_eq!(world.own(&folder, "say")?["places"][0]["state"], "stale");
    stage.write("app/src/lib.rs", &SAYS.replace("say()", "tell()"))?;
    let gone = world.own(&folder, "say")?;
    assert_eq!(
        (&gone["gone"], &gone["places"][0]["state"]),
        (&json!(true), &json!("stale"))
    );
    Ok(())
}
