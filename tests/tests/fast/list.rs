//! `list` tells which hooks a session has, and what becomes of them; the client shows whether that is true.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use anyhow::{Context, Result, ensure};
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::command;
use hookkit_tests::{World, told};
use serde_json::{Value, json};

/// The client tier plays the same world, and compares what ran with what `list` names.
#[test]
fn list_names_the_hooks_that_client_2_1_330_ran() -> Result<()> {
    let world = World::with_handlers()?;
    let on_bash = [
        "by-expression",
        "in-project",
        "of-copy",
        "of-entry",
        "of-half",
        "of-manifest",
        "of-more",
        "of-plugin",
        "of-project-skill",
        "of-skill",
        "several",
        "several",
        "several",
        "several",
    ];
    assert_eq!(world.named("PreToolUse:Bash")?, on_bash);
    assert_eq!(
        world.named("SessionStart:startup")?,
        ["at-start", "of-user", "with-empty-if"]
    );
    assert_eq!(world.named("PostToolUse:Bash")?, ["after"]);
    assert_eq!(world.named("Stop")?, ["at-stop"]);
    Ok(())
}

#[test]
fn each_hook_is_told_with_its_file_and_why_it_does_not_run() -> Result<()> {
    let world = World::with_handlers()?;
    let listed = world.list(&["--for", "PreToolUse:Bash"])?;
    for said in [
        "On PreToolUse Bash Claude Code runs\n",
        ".claude/settings.json:1 (project)\n    PreToolUse Bash: echo in-project",
        "    where the call fits `if` Bash(git *)\n",
        "    not run: the matcher `bash` is a list of whole names, in which case counts\n",
        "    not run: the matcher `Ba(` is no regular expression: `(` is never closed\n",
        "    not run: its `if` is for Edit\n",
        "settings.local.json: line 1, column",
        "settings.json:1 is the same hook, and that one counts\n",
        "hooks.json:1 (plugin near@shop)\n",
    ] {
        assert!(listed.contains(said), "{said}\n{listed}");
    }
    let listed = world.list(&[])?;
    for said in [
        "There is no cargo workspace here",
        "settings.local.json (local): Claude Code reads nothing of it\n",
        "PreToolUse bash: echo in-lower-case >> \"$RAN\"\n        never runs for that: `bash` matches no tool; did you mean `Bash`?\n",
        "`sessionStart` is no event: Claude Code ignores this key; write `SessionStart`",
        "never runs: it has an `if`, which never holds on SessionStart",
        "hooks/hooks.json (plugin broken@shop): Claude Code reads nothing of it\n",
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
            .find(|row| told(row).as_deref() == Some(name))
            .context("it is listed")
    };
    let of_plugin = row("of-plugin")?;
    assert_eq!(
        (
            &of_plugin["kind"],
            &of_plugin["scope"],
            &of_plugin["line"],
            &of_plugin["in_force"]
        ),
        (&json!("foreign"), &json!("plugin near@shop"), &json!(1), &json!(true))
    );
    let lower = row("in-lower-case")?;
    assert_eq!(
        (&lower["matches_nothing"], &of_plugin["matches_nothing"]),
        (&json!(["`bash` matches no tool; did you mean `Bash`?"]), &json!([]))
    );
    let lost = row("lost-too")?;
    assert_eq!(lost["in_force"], false);
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
fn what_the_managed_settings_turn_off_is_told_with_the_line() -> Result<()> {
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
        "error: `Bsah` is no tool that is known here; did you mean `Bash`?\n"
    );
    assert_eq!(refused("Stopp"), "error: `Stopp` is no event; did you mean `Stop`?\n");
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

#[test]
fn an_own_hook_is_told_with_what_became_of_it() -> Result<()> {
    let world = World::new()?;
    let path = world.project.path().to_str().context("a UTF-8 path")?.to_owned();
    let install = |arguments: &[&str]| -> Result<()> {
        let output = command(fixture()?, &["install", "--project", &path, "--hook", "printing-guard"])?
            .args(arguments)
            .env("CLAUDE_CONFIG_DIR", world.user.path())
            .output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    let states = || -> Result<Vec<(String, String)>> {
        let row = world.own(fixture()?, "printing-guard")?;
        let places = row["places"].as_array().context("a list")?.iter();
        let word = |place: &Value, key: &str| place[key].as_str().unwrap_or_default().to_owned();
        Ok(places
            .map(|place| (word(place, "scope"), word(place, "state")))
            .collect())
    };
    assert!(states()?.is_empty());
    install(&[])?;
    install(&["--scope", "local"])?;
    let state = |project: &str| {
        let words = |scope: &str, state: &str| (scope.to_owned(), state.to_owned());
        vec![words("project", project), words("local", "up-to-date")]
    };
    assert_eq!(states()?, state("up-to-date"));
    // A failure of it refuses in both; where it cannot be started the file that the team shares does not.
    let listed = world.list_in(fixture()?, &[])?;
    let goes_on = "    where its binary is missing, as in a fresh clone, Claude Code goes on without it\n";
    let (of_project, of_local) = listed.split_once("\n  local: ").context("it is in both")?;
    assert!(
        of_project.ends_with(goes_on.trim_end()) && !of_local.contains(goes_on),
        "{listed}"
    );
    let row = world.own(fixture()?, "printing-guard")?;
    let [project, local] = [0, 1].map(|at| &row["places"][at]["without_binary"]);
    assert_eq!((project, local), (&json!("continue"), &json!("block")));
    let written = world.project.read(".claude/settings.json")?;
    ensure!(written.contains("\"timeout\": 10"), "{written}");
    world.project.write(
        ".claude/settings.json",
        written.replace("\"timeout\": 10", "\"timeout\": 11"),
    )?;
    assert_eq!(states()?, state("edited"));
    world.project.write(".claude/settings.json", &written)?;
    let binary = world.project.path().join(".claude/hookkit/fixture/bin/printing-guard");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o644))?;
    assert_eq!(states()?, state("missing-binary"));
    let listed = world.list_in(fixture()?, &["--for", "PreToolUse:Bash"])?;
    assert_eq!(listed.matches("its binary is missing").count(), 1, "{listed}");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o755))?;
    world.project.write(".claude/settings.json", "{}")?;
    assert_eq!(states()?, state("unnamed"));
    world.project.write(".claude/settings.json", &written)?;

    // Which of them runs is told without a build, and both are named, since their commands are not the same.
    let listed = world.list_in(fixture()?, &["--for", "PreToolUse:Bash", "--json"])?;
    let rows: Vec<Value> = listed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let ours = rows
        .iter()
        .filter(|row| row["kind"] == "own" && row["name"] == "printing-guard" && row["runs"] == true);
    assert_eq!(ours.count(), 2, "{listed}");
    world
        .project
        .write(".claude/settings.local.json", "{\"disableAllHooks\": true}")?;
    let listed = world.list_in(fixture()?, &[])?;
    let of_pack = "\n\nPack fixture-hooks 0.0.0\n\n";
    assert_eq!(listed.matches(of_pack).count(), 1, "{listed}");
    let said = "project: up to date";
    let off = "    never runs: it is turned off by `disableAllHooks` in ";
    assert!(listed.contains(said) && listed.contains(off), "{listed}");
    Ok(())
}
