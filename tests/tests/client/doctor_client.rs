//! `cargo dev doctor` reports how the real client reads settings, and does not run commands or write files.

use std::fs;

use anyhow::Result;
use hookkit_tests::copies::ask;
use hookkit_tests::files::contents;
use hookkit_tests::{Project, client};
use serde_json::json;
use test_support::Has;

#[test]
fn hooks_fire_on_copies_and_what_is_dropped_has_the_client_s_reason() -> Result<()> {
    let client = client!("hooks_fire_on_copies_and_what_is_dropped_has_the_client_s_reason");
    let (project, config) = (Project::new()?, test_support::folder());
    let trace = config.path().join("trace");
    let one = json!({"type": "command", "command": format!("touch {}", trace.display())});
    let program = json!({"type": "command", "command": "touch", "args": [trace]});
    let http = json!({"type": "http", "url": "http://hooks.example.invalid/x"});
    let prompt = json!({"type": "prompt", "prompt": "Is it fine? $ARGUMENTS"});
    let agent = json!({"type": "agent", "prompt": "Is it fine?"});
    let narrow = json!({"type": "command", "command": "x", "if": "Bash(git *)"});
    let settings = json!({
        "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "another"},
        "apiKeyHelper": one["command"],
        "hooks": {
            "SessionStart": [{"hooks": [one]}],
            "UserPromptSubmit": [{"hooks": [program]}],
            "PreToolUse": [
                {"matcher": "Edit|Write", "hooks": [one, http]},
                {"matcher": "Bash", "hooks": [prompt, agent]},
                {"matcher": "bash", "hooks": [one]},
                {"hooks": [narrow]},
            ],
            "PreCompact": [{"hooks": [one]}],
            "SessionEnd": [{"hooks": [one]}],
            "Stop": [{"matcher": "*", "hooks": [prompt, agent]}],
        },
    });
    project.write(".claude/settings.json", settings.to_string())?;
    let of_user =
        json!({"hooks": {"Nonsense": [{"hooks": [one]}], "PostToolUse": [{"hooks": [{"type": "command"}, one]}]}});
    fs::write(config.path().join("settings.json"), of_user.to_string())?;
    project.write(".claude/settings.local.json", "{\"hooks\": {}")?;

    let before = (contents(project.path())?, contents(config.path())?);
    let (text, is_clean) = ask(&client, project.path(), config.path())?;
    assert!(
        before == (contents(project.path())?, contents(config.path())?),
        "a file was changed, or a command ran"
    );
    assert!(!is_clean);
    let states: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  hooks.")).collect();
    let expected = [
        "Nonsense.0.hooks.0: not registered",
        "PostToolUse.0.hooks.0: not registered",
        // With the tool that each `agent` hook answers by.
        "PostToolUse.0.hooks.1: fired, 6",
        "PreCompact.0.hooks.0: registered, not fired",
        "PreToolUse.0.hooks.0: fired, 2",
        "PreToolUse.0.hooks.1: fired, 2",
        "PreToolUse.1.hooks.0: fired, 1",
        "PreToolUse.1.hooks.1: fired, 1",
        "PreToolUse.2.hooks.0: registered, not fired",
        "PreToolUse.3.hooks.0: registered, not fired",
        "SessionEnd.0.hooks.0: fired, 1",
        "SessionStart.0.hooks.0: fired, 1",
        "Stop.0.hooks.0: fired, 1",
        "Stop.0.hooks.1: fired, 1",
        "UserPromptSubmit.0.hooks.0: fired, 1",
    ];
    assert_eq!(states, expected, "{text}");
    text.has("Unknown hook event \"Nonsense\"");
    text.has("entry ignored");
    text.has("settings.local.json: not read\n  it is not JSON: ");

    // The client drops the whole file if it cannot load a guard.
    let broken = json!({"hooks": {"PreToolUse": [{"hooks": [one]}, {"hooks": [{"type": "command"}]}]}});
    project.write(".claude/settings.json", broken.to_string())?;
    project.write(".claude/settings.local.json", "{\"disableAllHooks\": true}")?;
    let (text, _) = ask(&client, project.path(), config.path())?;
    text.has("settings.json: not read\n  the client: hooks.PreToolUse.1.hooks.0: Invalid command hook");
    text.has("all hooks are turned off by `disableAllHooks`");
    Ok(())
}
