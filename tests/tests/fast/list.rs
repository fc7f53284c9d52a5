//! `list` names the hooks of a session, and says why the others do not run. The client tier shows that it is right.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result};
use hookkit_tests::record::Record;
use hookkit_tests::xtask::command;
use hookkit_tests::{World, handler_name};
use serde_json::json;

#[test]
fn list_names_the_hooks_that_the_client_runs() -> Result<()> {
    let recorded = Record::<usize>::read("handlers")?;
    let world = World::with_handlers()?;
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    // The events of a session that calls Bash once.
    for subject in ["PreToolUse:Bash", "SessionStart:startup", "PostToolUse:Bash", "Stop"] {
        for name in world.named(subject)? {
            *named.entry(name).or_default() += 1;
        }
    }
    // The only hook with an `if` that the call fits.
    *named.entry("if-true".to_owned()).or_default() += 1;
    assert_eq!(named, recorded.rows);
    Ok(())
}

#[test]
fn each_hook_is_reported_with_its_file_and_why_it_does_not_run() -> Result<()> {
    let world = World::with_handlers()?;
    let listed = world.list(&["--for", "PreToolUse:Bash"])?;
    for said in [
        "On PreToolUse Bash Claude Code runs\n",
        ".claude/settings.json:1 (project)\n    PreToolUse Bash: echo in-project",
        "    where the call matches `if` Bash(git *)\n",
        "    not run: the matcher `bash` is case-sensitive, and does not include `Bash`\n",
        "    not run: the matcher `Ba(` is not a regular expression: unclosed `(`\n",
        "    not run: its `if` is for Edit\n",
        "settings.local.json: line 1, column",
        "settings.json:1 is the same hook, and Claude Code runs that one\n",
        "hooks.json:1 (plugin near@shop)\n",
    ] {
        assert!(listed.contains(said), "{said}\n{listed}");
    }
    let listed = world.list(&[])?;
    for said in [
        "There is no cargo workspace here",
        "settings.local.json (local): Claude Code ignores this file\n",
        "PreToolUse bash:       echo in-lower-case >> \"$RAN\"\n        never runs: `bash` matches no tool; did you mean `Bash`?\n",
        "`sessionStart` is not an event: Claude Code ignores this key; write `SessionStart`",
        "never runs: it has an `if`, which never holds on SessionStart",
        "hooks/hooks.json (plugin broken@shop): Claude Code ignores this file\n",
    ] {
        assert!(listed.contains(said), "{said}\n{listed}");
    }
    assert!(!listed.contains("off@shop"), "{listed}");
    let only = world.list(&["--scope", "user"])?;
    assert!(only.contains("of-user") && !only.contains("in-project"), "{only}");
    Ok(())
}

#[test]
fn a_row_says_where_and_what() -> Result<()> {
    let world = World::with_handlers()?;
    let rows = world.rows(&[])?;
    let row = |name: &str| {
        rows.iter()
            .find(|row| handler_name(row).as_deref() == Some(name))
            .context("it is listed")
    };
    let of_plugin = row("of-plugin")?;
    assert_eq!(
        (
            &of_plugin["kind"], &of_plugin["scope"], &of_plugin["line"], &of_plugin["active"]
        ),
        (&json!("foreign"), &json!("plugin near@shop"), &json!(1), &json!(true))
    );
    let lower = row("in-lower-case")?;
    assert_eq!(
        (&lower["matches_nothing"], &of_plugin["matches_nothing"]),
        (&json!(["`bash` matches no tool; did you mean `Bash`?"]), &json!([]))
    );
    let lost = row("lost-too")?;
    assert_eq!(lost["active"], false);
    assert!(
        lost["finding"]
            .as_str()
            .is_some_and(|finding| finding.contains("`timeout` should be")),
        "{lost}"
    );
    let files: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["kind"] == "file")
        .filter_map(|row| row["scope"].as_str())
        .collect();
    assert_eq!(
        files,
        BTreeSet::from(["local", "plugin broken@shop", "plugin half@shop", "project", "user"])
    );
    Ok(())
}

#[test]
fn what_the_managed_settings_turn_off_is_reported_with_the_line() -> Result<()> {
    let world = World::with_handlers()?;
    let managed = world.managed.path().join("managed-settings.json");
    fs::write(&managed, "{\n  \"allowManagedHooksOnly\": true\n}\n")?;
    let listed = world.list(&["--for", "Stop"])?;
    let said = format!(
        "not run: it is turned off by `allowManagedHooksOnly` in {}:2\n",
        managed.display()
    );
    assert!(
        listed.contains("Nothing runs on Stop in /") && listed.contains(&said),
        "{listed}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_meant_is_refused() -> Result<()> {
    let world = World::new()?;
    let refused = |subject: &str| match world.list(&["--for", subject]) {
        Ok(listed) => listed,
        Err(err) => err.to_string(),
    };
    assert_eq!(
        refused("PreToolUse:Bsah"),
        "error: `Bsah` is not a known tool; did you mean `Bash`?\n"
    );
    assert_eq!(
        refused("Stopp"),
        "error: `Stopp` is not an event; did you mean `Stop`?\n"
    );
    Ok(())
}

#[test]
fn a_workspace_without_hooks_hides_no_other_hook() -> Result<()> {
    let world = World::with_handlers()?;
    let manifest = "[package]\nname = \"empty\"\n\n[workspace]\n";
    fs::create_dir(world.outside.path().join("src"))?;
    fs::write(world.outside.path().join("src/lib.rs"), "")?;
    fs::write(world.outside.path().join("Cargo.toml"), manifest)?;
    let path = world.project.path().to_str().context("a UTF-8 path")?;
    let output = command(world.outside.path(), &["list", "--project", path])?
        .env("CLAUDE_CONFIG_DIR", world.user.path())
        .output()?;
    let (stdout, stderr) = (String::from_utf8(output.stdout)?, String::from_utf8(output.stderr)?);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("has hooks: a pack is a library crate"), "{stderr}");
    assert!(stdout.contains("echo in-project"), "{stdout}");
    Ok(())
}
