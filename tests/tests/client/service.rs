//! Hooks that a service answers, in the real client, by the entries that `install --http` writes.

use hookkit::prelude::{PreToolUse, PreToolUseAnswer, hook, tool};
use hookkit_service::{Keys, Service};
use hookkit_tests::prelude::*;
use hookkit_tests::service::Served;

const KEY: &str = "0123456789abcdef0123456789abcdef";

/// Denies, allows and changes commands.
#[hook(PreToolUse)]
#[allow(unreachable_pub, reason = "hooks are public")]
pub fn decide(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer<tool::Bash> {
    let mut input = call.input;
    match &*input.command {
        "touch denied" => PreToolUseAnswer::deny("not this file"),
        "touch panic" => panic!("a mistake of its author"),
        "touch before" => {
            input.command = "touch after".to_owned();
            PreToolUseAnswer::allow().with_updated_input(input)
        }
        _ => PreToolUseAnswer::allow(),
    }
}

fn served() -> Result<Served> {
    let keys = Keys::parse(&format!("tests {KEY}"))?;
    Served::start(Service::new(hookkit_service::hooks![decide], keys, "127.0.0.1:0".parse()?)?)
}

/// Returns the entry of the hook, as `install --http` writes it, with a time limit in seconds.
fn entry(url: &str, blocks: bool, timeout: u32) -> Value {
    let mut handler = json!({
        "type": "http",
        "url": format!("{url}/hooks/decide"),
        "headers": {"Authorization": "Bearer ${HOOKKIT_KEY}"},
        "allowedEnvVars": ["HOOKKIT_KEY"],
        "timeout": timeout,
    });
    if blocks {
        handler["onFailure"] = "block".into();
    }
    json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}})
}

/// Runs commands in a session, and returns the names of the files that are there afterwards, and what the model read.
fn session(client: &Path, settings: &Value, key: Option<&str>, commands: &[&str]) -> Result<(String, String)> {
    let project = Project::new()?;
    project.write(".claude/settings.json", settings.to_string())?;
    let mut session = Session::new(client, project.path()).allow(&["Bash"]);
    if let Some(key) = key {
        session = session.env("HOOKKIT_KEY", key);
    }
    for command in commands {
        session = session.turn(Turn::bash(command));
    }
    let outcome = session.go()?;
    let mut files = files::names(project.path());
    files.retain(|name| !name.starts_with('.'));
    Ok((files.join(" "), outcome.tool_results().concat()))
}

#[test]
fn a_service_denies_allows_and_changes_as_a_program_does() -> Result<()> {
    let client = client!("a_service_denies_allows_and_changes_as_a_program_does");
    let served = served()?;
    let commands = ["touch allowed", "touch denied", "touch before", "touch panic"];
    let (files, read) = session(&client, &entry(&served.url()?, true, 30), Some(KEY), &commands)?;
    assert_eq!(files, "after allowed", "{read}");
    read.has("not this file");
    read.has("it panicked: a mistake of its author");
    Ok(())
}

#[test]
fn without_an_answer_a_guard_denies_and_all_else_goes_ahead() -> Result<()> {
    let client = client!("without_an_answer_a_guard_denies_and_all_else_goes_ahead");
    let served = served()?;
    let url = served.url()?;
    let gone =
        Served::start(Service::new(hookkit_service::hooks![decide], Keys::none(), "127.0.0.1:0".parse()?)?)?.url()?;
    for (fault, key) in [
        (format!("{url}/500"), Some(KEY)),
        (format!("{url}/slow"), Some(KEY)),
        (format!("{url}/closed"), Some(KEY)),
        (gone, Some(KEY)),
        (url.clone(), Some("another-key-0123456789abcdef0123456789")),
        (url.clone(), None),
    ] {
        for blocks in [true, false] {
            let (files, read) = session(&client, &entry(&fault, blocks, 1), key, &["touch denied"])?;
            assert_eq!(files.is_empty(), blocks, "{fault} {key:?} {blocks}: {read}");
            read.lacks(KEY);
        }
    }
    Ok(())
}

#[test]
fn the_entries_of_install_are_obeyed_and_leave_nothing() -> Result<()> {
    let client = client!("the_entries_of_install_are_obeyed_and_leave_nothing");
    let staging = test_support::folder();
    let hooks = hookkit_service::hooks![hookkit_tests::fixture_hooks::deny_pushes];
    let keys = Keys::parse(&format!("tests {KEY}"))?;
    let served = Served::start(Service::new(hooks, keys, "127.0.0.1:0".parse()?)?)?;
    let url = served.url()?;
    let staged = ["--scope", "managed", "--staging", text(staging.path())?];
    let run = |command: &[&str]| xtask_ok(fixture()?, &[command, &staged[..]].concat());
    let install = ["install", "--pack", "fixture-hooks", "--http", &url, "--yes"];
    let printed = run(&install)?;
    printed.has("`greet` is left out: the client does not call hooks over HTTP on SessionStart");
    printed.has("`tell` is left out: the client does not call hooks over HTTP on SessionStart");
    printed.has("`wake` is left out: over HTTP, the client ignores `async` and waits for the hook");
    printed.lacks(KEY);
    let part = staging.path().join("etc/claude-code/managed-settings.d/hookkit-service.json");
    let mut settings: Value = serde_json::from_str(&fs::read_to_string(&part)?)?;
    run(&install)?.has("is there already");
    let only = |group: &Value| group["hooks"][0]["url"].as_str().is_some_and(|url| url.ends_with("/no-push"));
    let groups = settings["hooks"]["PreToolUse"].as_array_mut().context("groups")?;
    groups.retain(only);
    settings["hooks"] = json!({"PreToolUse": groups});
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block", "{settings}");
    let (_, read) = session(&client, &settings, Some(KEY), &["git push origin main"])?;
    read.has("pushing is left to the user");
    run(&["uninstall", "--http"])?.has("Removed");
    assert_eq!(fs::read_dir(staging.path())?.count(), 0);
    Ok(())
}
