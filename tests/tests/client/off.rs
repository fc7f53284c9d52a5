//! Hooks that a person has turned off for a while, in the real client.

use hookkit_tests::keyboard;
use hookkit_tests::prelude::*;

use crate::hooks::install;

/// A command that is denied, and harmless: the remote does not exist.
const DENIED: &str = "git push --force origin main";

/// Runs commands in a session.
fn run(client: &Path, project: &Project, inputs: &[Value]) -> Result<Outcome> {
    let session = Session::new(client, project.path()).allow(&["Bash"]);
    let turns = inputs.iter().map(|input| Turn::call("Bash", input.clone()));
    turns.fold(session, Session::turn).go()
}

fn type_code(project: &Project, arguments: &[&str]) -> Result<()> {
    let typed = keyboard::run(project.path(), arguments, str::to_owned)?;
    ensure!(typed.code == Some(0), "{}", typed.text);
    Ok(())
}

fn is_denied(result: &str) -> bool {
    result.contains("overwrites what others may have pushed")
}

fn has_run(result: &str) -> bool {
    result.contains("src refspec main does not match any")
}

#[test]
fn a_hook_that_is_off_lets_a_command_run_and_denies_it_when_it_is_on() -> Result<()> {
    const NAME: &str = "a_hook_that_is_off_lets_a_command_run_and_denies_it_when_it_is_on";
    let Some(client) = client::require(NAME).filter(|_| keyboard::is_there(NAME)) else {
        return Ok(());
    };
    let project = Project::new()?;
    install(&project, &["deny-destruction"])?;
    let input = json!({"command": DENIED, "description": "Push it"});
    type_code(&project, &["off", "deny-destruction"])?;
    let off = run(&client, &project, std::slice::from_ref(&input))?;
    let results = off.tool_results();
    assert!(has_run(&results[0]), "{results:?}");
    off.user_messages().concat().has("deny-destruction is off for 10 more min");
    assert!(!off.model_read().contains("deny-destruction is off"));
    xtask_ok(project.path(), &["on", "deny-destruction"])?;
    let results = run(&client, &project, &[input])?.tool_results();
    assert!(is_denied(&results[0]), "{results:?}");
    Ok(())
}

#[test]
fn an_allowed_command_runs_once_byte_for_byte() -> Result<()> {
    const NAME: &str = "an_allowed_command_runs_once_byte_for_byte";
    let Some(client) = client::require(NAME).filter(|_| keyboard::is_there(NAME)) else {
        return Ok(());
    };
    let project = Project::new()?;
    install(&project, &["deny-destruction"])?;
    // What a string of JSON escapes, as far as the client lets it through in a command, and what it does not.
    let line = format!("{DENIED} # \"\\ \t\u{e9}\u{101}\u{1f980}<&>'\n:");
    type_code(&project, &["allow-once", &line])?;
    let inputs = [
        // The client refuses a member that the tool does not have.
        json!({"command": DENIED, "tool_input": {"command": line}}),
        json!({"command": DENIED, "description": format!("\"tool_input\":{}", json!({"command": line}))}),
        // It writes the members in its own order.
        json!({"description": "Push it", "command": line}),
        json!({"description": "Push it", "command": line}),
    ];
    let results = run(&client, &project, &inputs)?.tool_results();
    results[0].has("An unexpected parameter `tool_input` was provided");
    assert!(is_denied(&results[1]), "{results:?}");
    assert!(has_run(&results[2]), "{results:?}");
    assert!(is_denied(&results[3]), "{results:?}");
    Ok(())
}

#[test]
fn the_model_cannot_turn_a_hook_off() -> Result<()> {
    let client = client!("the_model_cannot_turn_a_hook_off");
    let project = Project::new()?;
    install(&project, &["deny-destruction"])?;
    let bin = project.path().join(".claude/hookkit/hookkit/bin/deny-destruction");
    let before = fs::read(&bin)?;
    // Not by a name that `deny-destruction` knows, and without the variables that the client sets.
    let xtask = command(project.path(), &[])?;
    let xtask = text(xtask.get_program().as_ref())?.to_owned();
    let copy = format!("cp {xtask} x; ./x off deny-destruction");
    let hidden = "env -u CLAUDECODE -u CLAUDE_CODE_ENTRYPOINT ./x off deny-destruction";
    let inputs = [copy.as_str(), hidden].map(|line| json!({"command": line, "description": "Off"}));
    let results = run(&client, &project, &inputs)?.tool_results();
    assert!(results[0].contains("CLAUDECODE is set"), "{results:?}");
    assert!(results[1].contains("started by Claude Code"), "{results:?}");
    assert_eq!(fs::read(&bin)?, before);
    Ok(())
}
