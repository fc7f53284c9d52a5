//! Hooks that change the same calls, in the real client: one after the other, and each on its own.

use hookkit_tests::prelude::*;

const HOOKS: &str = include_str!("../../fixtures/sources/order-client.txt");

const REQUESTS: &str = include_str!("../../fixtures/sources/order-requests.txt");

/// The calls of a session: as many as it takes to see both ends of a race.
const CALLS: usize = 50;

/// Returns a project with hooks in these orders.
fn project(hooks: &str, orders: &str) -> Result<Project> {
    let tables = format!("\n[workspace.metadata.hookkit.orders]\n{orders}");
    let stage = Stage::with_hooks("ordered", hooks, &tables)?;
    let project = Project::new()?;
    xtask_ok(&stage.app(), &["install", "--project", text(project.path())?])?;
    Ok(project)
}

/// Returns the outcome of a session that echoes words, with the hooks in these orders.
fn session(client: &Path, orders: &str, words: &[&str]) -> Result<Outcome> {
    let project = project(HOOKS, orders)?;
    let session = Session::new(client, project.path()).allow(&["Bash(echo *)"]);
    let input = |word: &&str| json!({"command": format!("echo {word}"), "description": "Say it"});
    let turns = words.iter().map(|word| Turn::call("Bash", input(word)));
    turns.fold(session, Session::turn).go()
}

#[test]
fn hooks_of_an_order_read_the_changes_of_those_before_them() -> Result<()> {
    let client = client!("hooks_of_an_order_read_the_changes_of_those_before_them");
    for (order, expected) in [
        (r#"["one", "other", "guard", "broken"]"#, "call one other after last"),
        (r#"["broken", "other", "one", "guard"]"#, "call other one after last"),
    ] {
        let orders = format!("words = {order}\noutput = [\"after\", \"last\"]\n");
        let outcome = session(&client, &orders, &["call"; CALLS])?;
        let results = outcome.tool_results();
        assert_eq!(results.len(), CALLS);
        for result in &results {
            assert_eq!(result.trim(), expected);
        }
        // Each request repeats what was said before.
        let (read, count) = (outcome.model_read(), CALLS * (CALLS + 1) / 2);
        for context in ["context of one", "context of other"] {
            assert_eq!(read.matches(context).count(), count, "{read}");
        }
    }
    let orders = "words = [\"one\", \"other\", \"guard\", \"broken\"]\n";
    let results = session(&client, orders, &["refused", "call"])?.tool_results();
    assert!(results[0].contains("denied as a whole"), "{results:?}");
    assert!(results[1].starts_with("call one other"), "{results:?}");
    Ok(())
}

#[test]
fn without_an_order_the_change_of_one_hook_is_lost() -> Result<()> {
    let client = client!("without_an_order_the_change_of_one_hook_is_lost");
    let results = session(&client, "", &["call"; 10])?.tool_results();
    for result in &results {
        let (input, output) = result.trim().rsplit_once(' ').context("two words more")?;
        assert!(["call one", "call other"].contains(&input), "{result}");
        assert!(["after", "last"].contains(&output), "{result}");
    }
    Ok(())
}

#[test]
fn a_plugin_and_the_settings_both_get_what_came_and_the_change_of_one_is_lost() -> Result<()> {
    let client = client!("a_plugin_and_the_settings_both_get_what_came_and_the_change_of_one_is_lost");
    let project = Project::new()?;
    let hooks = |word: &str| -> Result<String> {
        let answer = format!(
            r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "updatedInput": {{"command": "\1 {word}", "description": "Say it"}}}}}}"#
        );
        // The command of the call, with a word more.
        let script = project.path().join(word);
        let line = format!(r#"touch "$0.ran"; sed 's/.*"command": *"\([^"]*\)".*/{answer}/'"#);
        project.write(word, line)?;
        let handler = json!({"type": "command", "command": "sh", "args": [script]});
        Ok(json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}).to_string())
    };
    project.write(".claude/settings.json", hooks("one")?)?;
    let plugin = ".claude/skills/theirs";
    project.write(&format!("{plugin}/.claude-plugin/plugin.json"), r#"{"name": "theirs"}"#)?;
    project.write(&format!("{plugin}/hooks/hooks.json"), hooks("other")?)?;
    let session = Session::new(&client, project.path()).allow(&["Bash(echo *)"]);
    let session = (0..10).fold(session, |session, _| session.turn(Turn::bash("echo call")));
    for result in session.go()?.tool_results() {
        assert!(["call one", "call other"].contains(&result.trim()), "{result}");
    }
    assert!(project.exists("one.ran") && project.exists("other.ran"));
    Ok(())
}

#[test]
fn an_order_answers_a_permission_request_once() -> Result<()> {
    let client = client!("an_order_answers_a_permission_request_once");
    for order in [r#"["one", "other"]"#, r#"["other", "one"]"#] {
        let project = project(REQUESTS, &format!("requests = {order}\n"))?;
        let input = json!({"command": "touch made", "description": "Make it"});
        let session = Session::new(&client, project.path()).turn(Turn::call("Bash", input));
        let results = session.go()?.tool_results();
        for file in ["made", "one", "other"] {
            assert!(project.exists(file), "{file}: {results:?}");
        }
    }
    Ok(())
}
