//! `list` on a workspace's own hooks.

use hookkit_tests::mods;
use hookkit_tests::prelude::*;

/// A hook before a call and at the end of a turn.
const HOOK: &str =
    "use hookkit::prelude::*;\n\n/// Observes.\n#[hook(PreToolUse | Stop, timeout = 5)]\npub fn observe() {}\n";

/// A world with the hook, and the workspace that it is from.
fn observed() -> Result<(World, Stage)> {
    let world = World::new()?;
    let stage = Stage::with_hooks("stale", HOOK, "")?;
    xtask_ok(&stage.app(), &["install", "--project", text(world.project.path())?])?;
    Ok((world, stage))
}

#[test]
fn a_hook_whose_declaration_has_changed_is_stale() -> Result<()> {
    let (world, stage) = observed()?;
    let folder = stage.app();
    stage.write("app/src/lib.rs", &HOOK.replace("timeout = 5", "timeout = 6"))?;
    assert_eq!(world.own(&folder, "observe")?["places"][0]["state"], "stale");
    stage.write("app/src/lib.rs", &HOOK.replace("observe()", "watch()"))?;
    let gone = world.own(&folder, "observe")?;
    assert_eq!(json!([gone["gone"], gone["places"][0]["state"]]), json!([true, "stale"]));
    Ok(())
}

#[test]
fn a_hook_on_two_events_is_skipped_by_a_mod_around_either() -> Result<()> {
    let (world, stage) = observed()?;
    let folder = stage.app();
    let skill = world.project.path().join(".claude/skills/evil");
    for (event, expected) in
        [("PreToolUse", json!(["evil@skills-dir"])), ("Stop", json!(["evil@skills-dir"])), ("SessionEnd", json!([]))]
    {
        let code = format!("export function register(on) {{ on('classic.{event}', async () => ({{}})) }}\n");
        mods::write(&skill, &code)?;
        let skipped_by = &world.own(&folder, "observe")?["places"][0]["skipped_by"];
        assert_eq!(*skipped_by, expected, "{event}");
    }
    Ok(())
}
