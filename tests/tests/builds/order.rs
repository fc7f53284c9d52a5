//! Orders: hooks that run one after the other, in one program.

use hookkit_tests::keyboard;
use hookkit_tests::prelude::*;
use hookkit_tests::xtask::rows as lines;
use hookkit_tests::xtask::{Answer, handlers};

const HOOKS: &str = include_str!("../../fixtures/sources/order.txt");

/// Returns a workspace with these orders, and its other tables.
fn with(orders: &str) -> Result<Stage> {
    let tables = format!(
        "\n[workspace.metadata.hookkit.orders]\n{orders}\n\
         [workspace.metadata.hookkit.hooks.suffix]\nenv = {{ ACME_SUFFIX = \" word\" }}\n"
    );
    Stage::with_hooks("order", HOOKS, &tables)
}

/// Runs an installed hook on a command.
fn answer(project: &Project, hook: &str, command: &str) -> Result<Answer> {
    let call = call_with("PreToolUse-Bash", &json!({"command": command, "description": "Try it"}))?;
    run_installed(project.path(), hook, &call)
}

/// Returns the members of an answer's `hookSpecificOutput`.
fn members(answer: &Answer) -> Result<Value> {
    let printed: Value = serde_json::from_str(&answer.stdout).with_context(|| format!("{answer:?}"))?;
    Ok(printed["hookSpecificOutput"].clone())
}

fn rows(folder: &Path, command: &str, arguments: &[&str]) -> Result<Vec<Value>> {
    let output = xtask(folder, &[&[command], arguments, &["--json"]].concat())?;
    Documented::read()?.rows(command, &String::from_utf8(output.stdout)?)
}

fn row<'r>(rows: &'r [Value], name: &str) -> Result<&'r Value> {
    let mut rows = rows.iter();
    rows.find(|row| row["name"] == name).with_context(|| format!("no row of {name}"))
}

#[test]
fn an_order_is_one_program_with_one_entry() -> Result<()> {
    let stage = with("whole = [\"strip\", \"suffix\", \"guard\", \"files\"]")?;
    let project = Project::new()?;
    let path = text(project.path())?;
    let settings = project.path().join(".claude/settings.json");
    let installed_rows = rows(&stage.app(), "install", &["--project", path])?;
    let whole = row(&installed_rows, "whole")?;
    assert_eq!(whole["members"], json!(["strip", "suffix", "guard", "files"]));
    let entry =
        json!({"event": "PreToolUse", "matcher": "Bash|Edit|Write", "blocks_in_settings": false, "rewrites": true});
    assert_eq!(whole["entries"], json!([entry]));
    // Three hooks have the event's time.
    assert_eq!(whole["timeout"], 1821);
    assert_eq!(whole["on_failure"], "block");
    let [entry] = &handlers(&settings, "whole")?[..] else { anyhow::bail!("not one entry") };
    assert_eq!(entry["timeout"], 1821);
    for member in ["strip", "suffix", "guard", "files"] {
        assert!(handlers(&settings, member)?.is_empty(), "{member}");
    }
    assert!(!handlers(&settings, "firm")?.is_empty());

    let changed = members(&answer(&project, "whole", "# comment\nls")?)?;
    let found = &changed["updatedInput"];
    assert_eq!(*found, json!({"command": "ls word", "description": "Try it"}));
    assert_eq!(changed["additionalContext"], "a word was added");
    // `strip` allowed what it has read.
    assert_eq!(changed["permissionDecision"], Value::Null);
    let denied = members(&answer(&project, "whole", "# comment\nrm -r .")?)?;
    assert_eq!(denied["permissionDecision"], "deny");
    assert_eq!(denied["permissionDecisionReason"], "not here");
    assert_eq!(denied["updatedInput"], Value::Null);
    let write = run_installed(project.path(), "whole", &payload("PreToolUse-Write")?)?;
    assert_eq!(members(&write)?["permissionDecisionReason"], "no files");

    let listed = rows(&stage.app(), "list", &["--project", path])?;
    assert_eq!(row(&listed, "whole")?["installed"], true);
    assert_eq!(row(&listed, "strip")?["installed"], false);
    assert_eq!(row(&listed, "strip")?["order"], "whole");
    let again = xtask_ok(&stage.app(), &["install", "--project", path])?;
    again.starts("Nothing has changed");
    xtask_ok(&stage.app(), &["install", "--check", "--project", path])?;
    let doctor = rows(&stage.app(), "doctor", &["--project", path])?;
    let is_finding = |row: &&Value| row["kind"] == "finding" && row["severity"] != "note";
    ensure!(!doctor.iter().any(|row| is_finding(&row)), "{doctor:?}");
    let ran = xtask_ok(&stage.app(), &["run", "whole", "--set", "tool_input.command=rm a"])?;
    ran.has("not here");

    xtask_ok(&stage.app(), &["uninstall", "--project", path])?;
    assert!(!settings.exists() || handlers(&settings, "whole")?.is_empty());
    Ok(())
}

#[test]
fn each_hook_of_an_order_fails_by_its_own_policy() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let stage = with("open = [\"flaky\", \"suffix\"]\nclosed = [\"firm\", \"strip\"]")?;
    xtask_ok(&stage.app(), &["install", "--project", path])?;
    for (command, why) in [
        ("error", "as asked"),
        ("panic", "it panicked at src/lib.rs"),
        ("abort", "it aborted"),
        ("exit", "something in it called `exit`"),
        ("loop", "it timed out"),
    ] {
        let passed = answer(&project, "open", command)?;
        assert_eq!(passed.exit_code, Some(0), "{passed:?}");
        passed.stderr.starts("hookkit: hook `flaky` failed: ");
        assert!(passed.stderr.contains(why), "{passed:?}");
        let printed: Value = serde_json::from_str(&passed.stdout)?;
        printed["systemMessage"].as_str().context("a message")?.starts("hookkit: hook `flaky` failed");
        let found = &printed["hookSpecificOutput"]["updatedInput"]["command"];
        assert_eq!(*found, format!("{command} word"));
        let denied = answer(&project, "closed", &format!("{command} # comment"))?;
        assert_eq!(denied.exit_code, Some(2), "{denied:?}");
        let denied = members(&denied)?;
        assert_eq!(denied["permissionDecision"], "deny");
        let reason = denied["permissionDecisionReason"].as_str().context("a reason")?;
        reason.starts("denied, because the hook `firm` failed: ");
    }
    // Nothing that reaches the program is a call: the strictest policy applies.
    let failed = run_installed(project.path(), "open", "{}")?;
    assert_eq!(failed.exit_code, Some(2), "{failed:?}");
    assert!(failed.stderr.contains("hook `open` failed"), "{failed:?}");
    Ok(())
}

#[test]
fn hooks_that_all_fail_open_are_a_failure_for_the_client() -> Result<()> {
    let stage = with("open = [\"flaky\", \"guard\"]\n")?;
    let tables = "[workspace.metadata.hookkit.hooks.guard]\non-failure = \"continue\"\n";
    let manifest = fs::read_to_string(stage.app().join("Cargo.toml"))?;
    fs::write(stage.app().join("Cargo.toml"), format!("{manifest}{tables}"))?;
    let project = Project::new()?;
    let arguments = ["install", "--project", text(project.path())?, "--hook", "open"];
    xtask_ok(&stage.app(), &arguments)?;
    let failed = answer(&project, "open", "panic")?;
    assert_eq!((failed.exit_code, &*failed.stdout), (Some(1), ""), "{failed:?}");
    let denied = answer(&project, "open", "rm a")?;
    assert_eq!(denied.exit_code, Some(0));
    assert_eq!(members(&denied)?["permissionDecision"], "deny");
    Ok(())
}

#[test]
fn hooks_that_change_the_same_calls_are_reported_until_they_have_an_order() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let stage = with("")?;
    let before = rows(&stage.app(), "install", &["--project", path])?;
    let summary = before.iter().find(|row| row["kind"] == "summary").context("a summary")?;
    assert_eq!(summary["competing"], json!([{"event": "PreToolUse", "hooks": ["strip", "suffix"]}]));
    let printed = xtask_ok(&stage.app(), &["install", "--project", path])?;
    printed.has("[workspace.metadata.hookkit.orders] NAME = [\"strip\", \"suffix\"]\n");
    let competing = |stage: &Stage| -> Result<Vec<Value>> {
        let mut found = rows(&stage.app(), "doctor", &["--project", path])?;
        found.retain(|row| row["code"] == "competing-changes");
        Ok(found)
    };
    let [found] = &competing(&stage)?[..] else { bail!("not one finding") };
    found["fix"].as_str().context("a fix")?.has("NAME = [\"strip\", \"suffix\"]");
    drop(stage);

    let stage = with("both = [\"suffix\", \"strip\"]")?;
    let printed = xtask_ok(&stage.app(), &["install", "--project", path])?;
    printed.has("  - strip, suffix: runs in an order\n");
    printed.lacks("of the same calls");
    assert!(competing(&stage)?.is_empty());
    let changed = members(&answer(&project, "both", "# comment\nls")?)?;
    assert_eq!(changed["updatedInput"]["command"], "ls word");

    let stderr = refused(&stage.app(), &["install", "--project", path, "--hook", "strip"])?;
    stderr.has("`strip` runs in the order `both`; request that one: --hook both");
    refused(&stage.app(), &["install", "--project", path, "--without", "strip"])?
        .has("`strip` runs in the order `both`");
    if keyboard::is_there("hooks_that_change_the_same_calls_are_reported_until_they_have_an_order") {
        let typed = keyboard::run(&stage.app(), &["off", "strip", "--project", path], |_| String::new())?;
        typed.text.has("`strip` runs in the order `both`; use that name: both");
    }
    let out = test_support::folder();
    let stderr = refused(&stage.app(), &["package", "--out", text(out.path())?])?;
    stderr.has("a plugin cannot have the orders");
    drop(stage);
    let stage = with("both = [\"suffix\", \"strap\"]")?;
    let stderr = refused(&stage.app(), &["install", "--project", path])?;
    stderr.has("[workspace.metadata.hookkit.orders] both: there is no hook `strap` here; did you mean `strip`?");
    Ok(())
}

#[test]
fn a_run_of_an_order_is_recorded_once() -> Result<()> {
    let stage = with("both = [\"flaky\", \"suffix\"]")?;
    let (project, state) = (Project::new()?, test_support::folder());
    let mut install = command(&stage.app(), &["install", "--hook", "both", "--record"])?;
    install.args(["--project", text(project.path())?]).env("XDG_STATE_HOME", state.path());
    install.out(0)?;
    for (number, word) in ["ls", "panic", "abort"].into_iter().enumerate() {
        let ran = answer(&project, "both", word)?;
        let lines = lines(&fs::read_to_string(state.path().join("hookkit/runs.jsonl"))?)?;
        assert_eq!(lines.len(), 2 * (number + 1), "{lines:?}");
        let [first, second] = &lines[2 * number..] else { anyhow::bail!("two lines") };
        assert_eq!(first["hook"], "both");
        assert_eq!(first["payload"]["tool_input"]["command"], json!(word));
        assert_eq!(second["exit_code"], 0);
        assert_eq!(second["stdout"], json!(ran.stdout));
    }
    Ok(())
}

#[test]
fn chosen_hooks_are_replaced_by_their_order() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let stage = with("")?;
    let arguments = ["install", "--project", path, "--hook", "strip", "--hook", "guard"];
    xtask_ok(&stage.app(), &arguments)?;
    drop(stage);
    let stage = with("both = [\"strip\", \"suffix\"]")?;
    let stderr = xtask(&stage.app(), &["install", "--project", path])?.err(0)?;
    stderr.has("note: `strip` runs in the order `both`, which is chosen instead");
    let sources = project.read(".claude/hookkit.toml")?;
    sources.has("\"both\"");
    sources.lacks("\"strip\"");
    xtask_ok(&stage.app(), &["sync", "--check", "--project", path])?;
    let settings = project.path().join(".claude/settings.json");
    let count = |hook: &str| -> Result<usize> { Ok(handlers(&settings, hook)?.len()) };
    assert_eq!((count("both")?, count("guard")?, count("strip")?), (1, 1, 0));
    Ok(())
}
