//! `list` on a workspace's own hooks.

use anyhow::{Context, Result, ensure};
use hookkit_tests::World;
use hookkit_tests::workspace::Stage;
use hookkit_tests::xtask::command;
use serde_json::json;

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
