//! The hooks that `list` names are those that the client runs.

use std::fs;

use anyhow::Result;
use hookkit_tests::{Session, Turn, World, client};
use serde_json::{Value, json};

#[test]
fn what_list_names_is_what_runs() -> Result<()> {
    const NAME: &str = "what_list_names_is_what_runs";
    let world = World::with_handlers()?;
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
        expected.extend(world.named(subject)?);
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
