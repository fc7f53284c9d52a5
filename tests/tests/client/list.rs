//! The client runs the hooks that `cargo xtask list` lists, from all files that it reads.

use hookkit_tests::prelude::*;

/// Each copy has another `onFailure`, so that a failure shows which one the client uses.
#[test]
fn of_copies_in_several_files_the_listed_one_runs() -> Result<()> {
    let client = client!("of_copies_in_several_files_the_listed_one_runs");
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
            .turn(Turn::bash("touch ran.txt"))
            .go()?;
        let is_blocked = !world.project.exists("ran.txt");
        let has_block = runs[0]["hook"]["onFailure"] == "block";
        assert_eq!(is_blocked, has_block, "{blocks}\n{}", outcome.debug());
    }
    Ok(())
}
