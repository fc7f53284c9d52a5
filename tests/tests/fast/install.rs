//! `install`, `uninstall` and `list`, on projects as people have them.

use std::sync::OnceLock;

use hookkit_tests::prelude::*;
use hookkit_tests::workspace::{install, on_project};
use hookkit_tests::xtask::{as_user, record};

/// The settings that `install` makes of the fixture's hooks.
fn settings() -> Result<Value> {
    static SETTINGS: OnceLock<Result<Value, String>> = OnceLock::new();
    let install = || -> Result<Value> {
        let project = Project::new()?;
        install("fixture-hooks", &project)?;
        Ok(serde_json::from_str(&project.read(".claude/settings.json")?)?)
    };
    let settings = SETTINGS.get_or_init(|| install().map_err(|err| format!("{err:#}")));
    settings.clone().map_err(anyhow::Error::msg)
}

#[test]
fn install_ends_with_entries_executables_and_a_summary() -> Result<()> {
    let project = Project::new()?;
    let summary = install("fixture-hooks", &project)?;
    summary.has("Holds the turn once.");
    summary.has("on PreToolUse Edit|Write");

    let settings: Value = serde_json::from_str(&project.read(".claude/settings.json")?)?;
    // One hook of several events has an entry for each.
    let events = settings["hooks"].as_object().context("events")?;
    let entries = events.values().filter_map(Value::as_array).map(Vec::len).sum::<usize>();
    let hooks = files::names(&project.path().join(".claude/hookkit/fixture/bin")).len();
    assert!(hooks < entries, "{hooks} {entries}");
    // One more looks for the binaries as a session starts.
    let by = entries - 1;
    summary.starts(&format!("Installed {hooks} hooks by {by} entries in "));
    let entry = &settings["hooks"]["PreToolUse"][0];
    let command = entry["hooks"][0]["command"].as_str().unwrap_or_default();
    assert_eq!(command, "${CLAUDE_PROJECT_DIR}/.claude/hookkit/fixture/bin/careful");
    assert_eq!(entry["hooks"][0]["args"], serde_json::json!([]));
    assert_eq!(entry["matcher"], "Edit|Write");
    let careful = fs::metadata(installed(project.path(), "careful")?)?;
    assert_eq!(careful.permissions().mode() & 0o111, 0o111);
    // No personal path is in what a team shares, and no binary does.
    assert!(!project.read(".claude/settings.json")?.contains(text(repository())?));
    assert_eq!(
        project.git(&["status", "--short", "--untracked-files=all"])?,
        "?? .claude/hookkit.lock\n?? .claude/hookkit.sh\n?? .claude/hookkit.toml\n?? .claude/settings.json\n"
    );
    Ok(())
}

#[test]
fn install_twice_changes_nothing() -> Result<()> {
    let project = Project::new()?;
    project.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")?;
    install("fixture-hooks", &project)?;
    let files = [
        project.path().join(".claude/settings.json"),
        project.path().join(".claude/hookkit/fixture/bin/hold"),
        record(project.path(), "fixture")?,
    ];
    let look = || -> Result<Vec<_>> {
        let look = |file: &PathBuf| Ok((fs::read(file)?, fs::metadata(file)?.modified()?));
        files.iter().map(look).collect()
    };
    let before = look()?;
    let said = install("fixture-hooks", &project)?;
    assert!(said.starts_with("Nothing has changed: "), "{said}");
    assert!(look()? == before);
    fs::write(&files[1], "another one")?;
    let said = install("fixture-hooks", &project)?;
    let holds = said.starts_with("Installed ") && fs::read(&files[1])? == before[1].0;
    assert!(holds, "{said}");
    said.has("\n\n  ~ hold: binary not built from the current source\n\n");
    let settings = project.read(".claude/settings.json")?;
    let changed = settings.replacen("\"Edit|Write\"", "\"Edit\"", 1);
    project.write(".claude/settings.json", changed)?;
    let said = install("fixture-hooks", &project)?;
    said.has("\n\n  ~ remind: PostToolUse \"Edit\" → \"Edit|Write\"\n\n");
    Ok(())
}

#[test]
fn uninstall_gives_the_project_back_as_it_was() -> Result<()> {
    let own =
        "{\n  \"permissions\": {\"allow\": [\"Bash\"]},\n\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}]\n  }\n}";
    for settings in [None, Some("{}"), Some(own)] {
        let project = Project::new()?;
        if let Some(settings) = settings {
            project.write(".claude/settings.json", settings)?;
        }
        install("fixture-hooks", &project)?;
        on_project(&project, "uninstall")?;
        match settings {
            Some(settings) => assert_eq!(project.read(".claude/settings.json")?, settings),
            None => assert!(!project.exists(".claude")),
        }
        assert!(!project.exists(".claude/hookkit"));
    }
    Ok(())
}

#[test]
fn a_file_that_does_not_parse_is_refused_untouched() -> Result<()> {
    let project = Project::new()?;
    let broken = "{\n  \"model\": opus\n}\n";
    project.write(".claude/settings.json", broken)?;
    let refuses = |command: &str, before: &str| -> Result<()> {
        let stderr = refused(fixture()?, &[command, "--project", text(project.path())?])?;
        stderr.has("settings.json was left untouched");
        stderr.has("settings.json:2:12\n");
        assert_eq!(project.read(".claude/settings.json")?, before);
        Ok(())
    };
    refuses("install", broken)?;
    assert!(!project.exists(".claude/hookkit"));
    // There is nothing to take out, whatever is wrong with the file.
    for text in [broken, "{\"hooks\": {\"PreToolUse\": {\"Write\": \"echo a\"}}}"] {
        project.write(".claude/settings.json", text)?;
        let said = on_project(&project, "uninstall")?;
        assert!(said.starts_with("Nothing of "), "{said}");
        assert_eq!(project.read(".claude/settings.json")?, text);
    }
    // Where something is, it is refused: by the machine that installed it, and by that of a clone.
    project.write(".claude/settings.json", "{}")?;
    install("fixture-hooks", &project)?;
    let installed = project.read(".claude/settings.json")?;
    let broken = installed.replacen("{\n", "{\n  \"model\": opus,\n", 1);
    project.write(".claude/settings.json", &broken)?;
    refuses("uninstall", &broken)?;
    fs::remove_dir_all(project.path().join(".claude/hookkit"))?;
    for text in [&broken, &broken.replace('/', "\\/")] {
        project.write(".claude/settings.json", text)?;
        refuses("uninstall", text)?;
    }
    Ok(())
}

#[test]
fn hooks_that_an_agent_would_run_twice_are_refused() -> Result<()> {
    let project = Project::new()?;
    let copilot = ["install", "--project", text(project.path())?, "--agent", "copilot"];
    let file = ".github/hooks/hookkit.json";
    install("fixture-hooks", &project)?;
    let said = refused(fixture()?, &copilot)?;
    said.has("Copilot would run hooks twice");
    said.has("the hooks in the first: cargo xtask uninstall --project ");
    assert!(!project.exists(file));
    on_project(&project, "uninstall")?;
    let command = r#"\"$COPILOT_PROJECT_DIR/.github/hooks/hookkit/fixture/bin/hold\""#;
    let hook = format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#);
    project.write(file, &hook)?;
    let said = refused(fixture()?, &copilot[..3])?;
    said.has("the hooks in the first: cargo xtask uninstall --agent copilot --project ");
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn a_file_that_one_of_several_agents_cannot_read_is_refused_before_another_is_written() -> Result<()> {
    let project = Project::new()?;
    project.write(".qwen/settings.json", "{broken")?;
    let install = ["install", "--project", text(project.path())?, "--agent", "codex,qwen"];
    refused(fixture()?, &install)?.has(".qwen/settings.json");
    assert!(!project.exists(".codex"));
    Ok(())
}

#[test]
fn an_agent_that_reads_no_hooks_of_a_project_gets_none_for_one() -> Result<()> {
    let project = Project::new()?;
    let install = ["install", "--project", text(project.path())?, "--agent", "copilot,kimi"];
    let said = refused(fixture()?, &install)?;
    said.has("Kimi does not read project hooks, only your own hooks for all projects, in ~/.kimi-code/config.toml; to install those, leave out --project");
    assert!(!project.exists(".github"));
    Ok(())
}

#[test]
fn settings_that_the_client_drops_are_edited_only_on_request() -> Result<()> {
    let project = Project::new()?;
    let path = text(project.path())?;
    let commented = "{\n  // why\n  \"model\": \"opus\", // the best\n}\n";
    project.write(".claude/settings.json", commented)?;
    let stderr = refused(fixture()?, &["install", "--project", path])?;
    stderr.has("error[comment-in-json]: JSON has no comments\n");
    stderr.has("settings.json:2:3\n  |\n2 |   // why\n  |   ^ Claude Code ignores the whole file because of it\n");
    stderr.has("error[trailing-comma]: trailing comma");
    stderr.has("settings.json:3:18\n");
    stderr.has("settings.json was left untouched");
    stderr.has("--force");
    assert_eq!(project.read(".claude/settings.json")?, commented);
    assert!(!project.exists(".claude/hookkit"));

    let arguments = ["install", "--force", "--project", path, "--pack", "fixture-hooks"];
    xtask_ok(fixture()?, &arguments)?;
    let installed = project.read(".claude/settings.json")?;
    installed.starts("{\n  // why\n  \"model\": \"opus\", // the best\n  \"hooks\": {\n");
    on_project(&project, "uninstall")?;
    assert_eq!(project.read(".claude/settings.json")?, commented);
    Ok(())
}

#[test]
fn where_there_is_no_workspace_nothing_is_done() -> Result<()> {
    let outside = test_support::folder();
    refused(outside.path(), &["install"])?.has("there is no workspace here");
    Ok(())
}

#[test]
fn what_is_declared_is_in_the_settings() -> Result<()> {
    let settings = settings()?;
    let mut groups = settings["hooks"]["PreToolUse"].as_array().into_iter().flatten();
    let group = groups.find(|group| group["hooks"][0]["statusMessage"].is_string());
    let group = group.context("a hook with a status message")?;
    assert_eq!(group["matcher"], "Bash");
    assert_eq!(group["hooks"][0]["if"], "Bash(git push *)");
    assert_eq!(group["hooks"][0]["statusMessage"], "looking at the push");
    Ok(())
}

#[test]
fn a_link_of_the_user_s_own_settings_to_a_file_that_does_not_exist_stays_a_link() -> Result<()> {
    let project = Project::new()?;
    let user = project.path().join("user");
    let settings = user.join("settings.json");
    fs::create_dir(&user)?;
    symlink("../dotfiles.json", &settings)?;
    as_user(&user, &["install", "--scope", "user", "--pack", "fixture-hooks"])?;
    assert!(settings.is_symlink() && project.read("dotfiles.json")?.contains("hookkit"));
    as_user(&user, &["uninstall", "--scope", "user"])?;
    assert!(settings.is_symlink() && !project.exists("dotfiles.json"));
    Ok(())
}

#[test]
fn uninstall_says_so_where_nothing_was_installed() -> Result<()> {
    let project = Project::new()?;
    let said = on_project(&project, "uninstall")?;
    assert!(said.starts_with("Nothing of "), "{said}");
    assert!(!project.exists(".claude"));
    Ok(())
}

#[test]
fn an_entry_says_what_the_attribute_does() -> Result<()> {
    let settings = settings()?;
    let handlers = |hook: &str| -> Vec<(String, Value)> {
        let lists = settings["hooks"].as_object().into_iter().flatten();
        let groups =
            lists.flat_map(|(event, list)| list.as_array().into_iter().flatten().map(move |group| (event, group)));
        let handlers = groups.map(|(event, group)| (event.clone(), group["hooks"][0].clone()));
        let is_this = |handler: &Value| handler["command"].as_str().is_some_and(|command| command.ends_with(hook));
        handlers.filter(|(_, handler)| is_this(handler)).collect()
    };
    let events = |hook: &str| handlers(hook).into_iter().map(|(event, _)| event).collect::<Vec<_>>();
    assert_eq!(events("/tell"), ["PostToolUse", "SessionStart", "UserPromptSubmit"]);
    // Where the client honors it, and the author wrote it.
    for (event, handler) in handlers("/strict-anywhere") {
        let expected = if event == "Stop" { Value::Null } else { "block".into() };
        assert_eq!(handler["onFailure"], expected, "{event}");
    }
    assert_eq!(handlers("/failing-guard")[0].1["onFailure"], Value::Null);
    assert_eq!(handlers("/afterthought")[0].1["async"], true);
    let (_, wake) = &handlers("/wake")[0];
    assert_eq!((&wake["asyncRewake"], &wake["timeout"]), (&true.into(), &5.into()));
    assert_eq!(wake["async"], Value::Null);
    Ok(())
}
