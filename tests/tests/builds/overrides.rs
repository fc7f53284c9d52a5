//! Overrides of hooks in a workspace's Cargo.toml.

use hookkit_tests::prelude::*;

const HOOKS: &str = include_str!("../../fixtures/sources/overrides.txt");

fn table() -> Lines<'static> {
    lines!("lines/overrides.txt")
}

/// Returns a workspace with these tables in its Cargo.toml.
fn with(tables: &str) -> Result<Stage> {
    let tables = tables.replace("\n[", "\n[workspace.metadata.hookkit.hooks.");
    let serde = "serde = { version = \"1\", features = [\"derive\"] }\n";
    Stage::with_hooks("overrides", HOOKS, &format!("{serde}\n{tables}"))
}

/// Returns the groups of a hook in the project's settings, with their events.
fn groups(project: &Project, hook: &str) -> Result<Vec<(String, Value)>> {
    let settings: Value = serde_json::from_str(&project.read(".claude/settings.json")?)?;
    let lists = settings["hooks"].as_object().into_iter().flatten();
    let groups = lists.flat_map(|(event, list)| list.as_array().into_iter().flatten().map(move |group| (event, group)));
    let is_this = |group: &Value| {
        let command = group["hooks"][0]["command"].as_str().unwrap_or_default();
        command.rsplit('/').next() == Some(hook)
    };
    let groups = groups.filter(|(_, group)| is_this(group));
    Ok(groups.map(|(event, group)| (event.clone(), group.clone())).collect())
}

const CHANGED: &str = include_str!("../../fixtures/sources/overrides.toml");

#[test]
fn overrides_apply_in_the_settings_and_in_the_binary() -> Result<()> {
    let stage = with(CHANGED)?;
    let project = Project::new()?;
    let summary = xtask_ok(&stage.app(), &["install", "--project", text(project.path())?])?;
    summary.has("acme-protect");
    summary.has("on PreToolUse Write;");
    assert!(!summary.contains("later"), "{summary}");

    let protect = groups(&project, "acme-protect")?;
    let [(event, group)] = &protect[..] else { anyhow::bail!("not one entry: {protect:?}") };
    assert_eq!((&**event, &group["matcher"]), ("PreToolUse", &json!("Write")));
    let handler = &group["hooks"][0];
    assert_eq!((&handler["timeout"], &handler["onFailure"]), (&json!(5), &Value::Null));
    assert_eq!(handler["statusMessage"], "looking at \"it\"");
    assert!(groups(&project, "protect")?.is_empty());
    for (event, group) in groups(&project, "observe")? {
        // As for the author's own `on_failure`: only on events where the client honors it.
        let expected = if event == "Stop" { Value::Null } else { json!("block") };
        assert_eq!(group["hooks"][0]["onFailure"], expected, "{event}");
    }
    let shell = &groups(&project, "shell")?[0].1;
    assert_eq!(shell["matcher"], "Bash");
    assert_eq!(shell["hooks"][0]["if"], "Bash(git *)");

    assert_eq!(groups(&project, "replace")?[0].1["hooks"][0]["timeout"], 9000);

    let run = |hook: &str, stdin: &str| run_installed(project.path(), hook, &payload(stdin)?);
    let write = run("acme-protect", "PreToolUse-Write")?;
    assert_eq!(write.stderr, "hookkit: hook `acme-protect` failed: level `strict: \"$1\"` for Write\n");
    assert_eq!((&*write.stdout, write.exit_code), ("", Some(1)));
    let edit = run("acme-protect", "PreToolUse-Edit")?;
    assert_eq!((&*edit.stderr, &*edit.stdout, edit.exit_code), ("", "", Some(0)));
    let observe = run("observe", "PreToolUse-Bash")?;
    assert_eq!(observe.exit_code, Some(2));
    assert!(observe.stdout.contains("deny"), "{observe:?}");
    assert!(run("shell", "PreToolUse-Bash")?.stdout.contains("--quiet"));
    let limit = run("limit", "PreToolUse-Bash")?.stdout;
    assert!(limit.contains(r#" of 8, [\"rm\"], [\"sudo \\\"-i\\\"\"]"#), "{limit}");
    Ok(())
}

#[test]
fn without_an_override_the_authors_value_applies() -> Result<()> {
    let stage = with(CHANGED)?;
    let project = Project::new()?;
    xtask_ok(&stage.app(), &["install", "--project", text(project.path())?])?;
    drop(stage);
    let stage = with("\n[observe]\noff = true\n")?;
    xtask_ok(&stage.app(), &["install", "--project", text(project.path())?])?;
    let hooks = files::names(&project.path().join(".claude/hookkit/app/bin"));
    assert_eq!(hooks, ["greet", "later", "limit", "protect", "replace", "shell"]);
    assert!(groups(&project, "observe")?.is_empty() && groups(&project, "acme-protect")?.is_empty());
    assert_eq!(groups(&project, "protect")?[0].1["matcher"], "Edit|Write");
    let edit = run_installed(project.path(), "protect", &payload("PreToolUse-Edit")?)?;
    assert_eq!(edit.stderr, "hookkit: hook `protect` failed: level `` for Edit\n");
    assert_eq!(edit.exit_code, Some(2));
    let limit = run_installed(project.path(), "limit", &payload("PreToolUse-Bash")?)?;
    assert!(limit.stdout.contains(" of 1000, "), "{limit:?}");

    let arguments = ["install", "--project", text(project.path())?, "--hook", "observe"];
    let stderr = refused(&stage.app(), &arguments)?;
    assert_eq!(
        stderr,
        "error: [workspace.metadata.hookkit.hooks.observe] off: the hook `observe` is turned off; remove `off`, or do not request the hook\n"
    );
    Ok(())
}

#[test]
fn list_shows_overrides_and_a_package_s_own_table_is_reported() -> Result<()> {
    let stage = with(CHANGED)?;
    let project = Project::new()?;
    let listed = xtask_ok(&stage.app(), &["list", "--project", text(project.path())?])?;
    for part in table().section("printed by list").lines() {
        listed.has(part);
    }
    let listed = xtask_ok(&stage.app(), &["list", "--json", "--project", text(project.path())?])?;
    let rows = rows(&listed)?;
    let row = |hook: &str| rows.iter().find(|row| row["name"] == hook).context("no row for the hook");
    let overridden = json!(["name", "matcher", "timeout", "on-failure", "status-message", "env"]);
    assert_eq!(row("acme-protect")?["overridden"], overridden);
    assert_eq!(row("acme-protect")?["entries"][0]["matcher"], "Write");
    assert_eq!(row("limit")?["config"]["longest"], 8);
    assert_eq!(row("later")?["off"], true);
    assert_eq!(row("greet")?["off"], false);
    assert_eq!(row("greet")?["overridden"], json!([]));
    drop(stage);
    // With a blank, the table is not one of an override.
    let stage = with("\n [package.metadata.hookkit]\nname = \"other\"\n")?;
    let stderr = command(&stage.app(), &["list", "--project", text(project.path())?])?.err(0)?;
    stderr.starts("warning: [package.metadata.hookkit] in ");
    stderr.has(" is not read; write [workspace.metadata.hookkit] in ");
    Ok(())
}

/// Returns the lines of `install`'s error.
fn errors(tables: &str) -> Result<Vec<String>> {
    let stage = with(tables)?;
    let project = Project::new()?;
    let stderr = refused(&stage.app(), &["install", "--project", text(project.path())?])?;
    ensure!(!project.exists(".claude"), "something is installed");
    let stderr = stderr.replace("[workspace.metadata.hookkit.hooks.", "[");
    Ok(stderr.trim_start_matches("error: ").lines().map(str::to_owned).collect())
}

#[test]
fn overrides_have_the_attributes_errors() -> Result<()> {
    let found = errors(include_str!("../../fixtures/sources/overrides-with-errors.toml"))?;
    let table = table();
    for row in &table.section("of one manifest").rows {
        let error = format!("{}: {}", row.expected.concat(), row.line);
        assert!(found.contains(&error), "{error}\n{found:#?}");
    }
    let block = "[greet] on-failure: a failure on `SessionStart` cannot block, only on ";
    assert!(found.iter().any(|line| line.starts_with(block)), "{found:#?}");
    assert_eq!(found.len(), 9, "{found:#?}");

    assert_eq!(
        errors("\n[protect]\nmatcher = \"Edit|Bash\"\n[shell]\nmatcher = \"Write\"\nif = \"Bash(git *)\"\n")?,
        [
            "[protect] matcher: the matcher `Edit|Bash` includes `Bash`, but the type of the event cannot hold its input; \
             narrow the matcher, or remove it to use the type's own",
            "[shell] if: the matcher `Write` does not match `Bash`: the hook would never run; fix one of them",
        ]
    );
    // The error does not show the position of the author's own values.
    assert_eq!(
        errors("\n[protect]\nif = \"Edit(src/**)\"\n")?,
        ["[protect] if: the `if` holds only for `Edit`: the hook would never run on `Write`; \
          remove the rest from the matcher, or write a hook for each"]
    );
    Ok(())
}

#[test]
fn invalid_overrides_are_errors_before_the_build() -> Result<()> {
    for row in &table().section("before the build").rows {
        assert_eq!(errors(&row.line)?, row.fields::<1>());
    }
    let wrong = errors("\n[limit.config]\nlongest = \"8\"\n")?;
    wrong[0].starts("[limit] config: ");
    wrong[0].has("longest");
    Ok(())
}
