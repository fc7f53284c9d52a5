//! `cargo xtask doctor`: each broken set-up is reported with its place, and a sound one is left in peace.

use hookkit_tests::broken::{Made, expected, folder as fixtures};
use hookkit_tests::prelude::*;

fn table() -> Lines<'static> {
    lines!("lines/doctor.txt")
}

#[test]
fn each_broken_set_up_is_reported_with_its_place_and_a_code_of_the_page() -> Result<()> {
    let page = fs::read_to_string(repository().join("docs/book/src/findings.md"))?;
    let mut wrong = Vec::new();
    for (name, expected) in expected()? {
        if !expected.is_of_this_machine() {
            continue;
        }
        let world = World::with_scripts()?;
        expected.put(&world, &name)?;
        let said = world.ask(&[])?;
        let found = said.findings();
        let mut pairs = found.iter().zip(&expected.found);
        let is_as_expected = found.len() == expected.found.len()
            && pairs.all(|((line, what), (at, part))| line == at && what.contains(part.as_str()));
        let mut codes = said.rows.iter().filter_map(|row| row["code"].as_str());
        let is_on_page = codes.all(|code| page.contains(&format!("\n### {code}\n")));
        let exit_code = i32::from(!expected.found.is_empty());
        if !is_as_expected || !is_on_page || said.exit_code != Some(exit_code) {
            wrong.push(format!("{name}: {:?} {found:#?} {}", said.exit_code, said.stderr));
        }
        // A part that the client drops is reported as such, and nothing else.
        if let Some(made) = expected.client {
            assert_eq!(said.is_dropped(), made == Made::DropsFile, "{name}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The expectations and the folder of fixed files are in it, too.
    let files = fs::read_dir(fixtures())?.count();
    assert_eq!(files, expected()?.len() + 2, "a fixture without an expectation, or the reverse");
    Ok(())
}

#[test]
fn each_finding_is_gone_once_its_fix_is_made() -> Result<()> {
    let mut wrong = Vec::new();
    for (name, expected) in expected()? {
        let world = World::with_scripts()?;
        expected.put(&world, &name)?;
        expected.fix(&world, &name)?;
        let said = world.ask(&[])?;
        if said.exit_code != Some(0) || !said.findings().is_empty() {
            wrong.push(format!("{name}: {:?} {:#?}", said.exit_code, said.findings()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn a_code_is_printed_with_its_finding_and_explained() -> Result<()> {
    let world = World::with_scripts()?;
    expected()?["misspelt-matcher"].put(&world, "misspelt-matcher")?;
    let text = world.text(&["--client-binary", "/bin/false"])?;
    let head = "warning[matcher-matches-nothing]: `bash` matches no tool\n";
    let hint = "\n`--explain CODE` prints the cause of a finding, and its fix\n";
    assert!(text.contains(head) && text.ends_with(hint), "{text}");
    let text = world.text(&["--explain", "matcher-matches-nothing"])?;
    let end = "\nAll codes, with examples: docs/book/src/findings.md#matcher-matches-nothing\n";
    text.starts("matcher-matches-nothing (Matchers)\n\n");
    text.has("\nfix: ");
    text.ends(end);
    let refused = world.doctor(&["--explain", "matcher-matches-nothin"])?.err(2)?;
    let error = "error: there is no code `matcher-matches-nothin`; did you mean `matcher-matches-nothing`?\n";
    assert_eq!(refused, error);
    Ok(())
}

#[test]
fn a_clean_project_is_clean() -> Result<()> {
    let world = World::with_scripts()?;
    world.ask(&[])?.assert_clean("the project");
    let guard = json!({"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/deny.sh", "timeout": 10});
    let settings = json!({
        "permissions": {"allow": ["Bash(git *)"]},
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [guard]}],
            "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
        },
    });
    world.settings(&settings)?;
    world.ask(&[])?.assert_clean("the project");
    let text = world.text(&["--client-binary", "/bin/false"])?;
    let project = world.project.path().display();
    text.ends(&format!("Nothing to fix in {project}: 2 hooks in 1 file\n"));
    Ok(())
}

#[test]
fn the_folder_is_reported_where_none_was_named() -> Result<()> {
    let world = World::new()?;
    let folder = world.user.path().canonicalize()?;
    let run = |name: &str| -> Result<(String, String)> {
        let mut command = command(&folder, &[name, "--managed"])?;
        command.arg(world.managed.path()).env("CLAUDE_CONFIG_DIR", &folder);
        Ok(command.both(0)?.into())
    };
    let path = folder.display();
    let note = format!("note: there is no git repository around {path}, so it is used as the project; ");
    let (said, noted) = run("doctor")?;
    let expected = format!("Nothing to fix in {path}: no hooks in 0 files\nTo check another project: --project DIR\n");
    assert!(said.ends_with(&expected) && noted.starts_with(&note), "{said}{noted}");
    let (said, noted) = run("list")?;
    let expected = format!("Claude Code runs no other hooks in {path}\n");
    assert!(said.ends_with(&expected) && noted.starts_with(&note), "{said}{noted}");
    Ok(())
}

#[test]
fn hooks_are_counted_apart_from_entries_and_a_plugin_that_is_missing_is_named() -> Result<()> {
    let world = World::with_scripts()?;
    let groups = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    let settings = json!({"hooks": {"Stop": groups, "SessionEnd": groups}, "enabledPlugins": {"gone@shop": true}});
    world.settings(&settings)?;
    let text = world.text(&["--client-binary", "/bin/false"])?;
    assert!(text.contains(": 1 hook by 2 entries in "), "{text}");
    text.has("`doctor` cannot tell whether the plugin gone@shop has hooks\n");
    Ok(())
}

#[test]
fn the_local_settings_of_the_repository_are_looked_at_from_a_subfolder_and_not_edited() -> Result<()> {
    let world = World::with_scripts()?;
    let hook = json!({"type": "command", "command": "true", "timeout": 30000});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string();
    world.project.write(".claude/settings.local.json", &settings)?;
    world.project.write("sub/a.txt", "")?;
    let sub = world.project.path().join("sub");
    let ask = |arguments: &[&str]| -> Result<String> {
        let arguments = [&["doctor"], arguments].concat();
        let mut command = world.command(world.outside.path(), &sub, &arguments)?;
        Ok(String::from_utf8(command.output()?.stdout)?)
    };
    let rows = rows(&ask(&["--json"])?)?;
    let row = rows.iter().find(|row| row["kind"] == "finding").context("a finding")?;
    assert_eq!(row["scope"], "local of the repository");
    assert_eq!(row["fixable"], false);
    assert_eq!(ask(&["--fix", "--yes"])?, "Nothing to change: `--fix` makes only edits that are certain\n");
    assert_eq!(world.project.read(".claude/settings.local.json")?, settings);
    Ok(())
}

#[test]
fn what_turns_hooks_off_is_reported_with_its_place() -> Result<()> {
    let world = World::with_scripts()?;
    let hooks = json!({"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]});
    world.settings(&json!({"hooks": hooks}))?;
    let managed = world.managed.path().join("managed-settings.json");
    fs::write(&managed, "{\n  \"allowManagedHooksOnly\": true\n}\n")?;
    let said = world.ask(&[])?;
    assert_eq!(said.findings(), [(2, "`allowManagedHooksOnly` turns hooks off")]);
    let row = &said.rows[0];
    let does = "Claude Code does not run 1 hook because of it";
    assert_eq!(json!([row["scope"], row["does"]]), json!(["managed", does]));
    Ok(())
}

#[test]
fn a_client_that_is_too_old_for_a_hook_is_reported() -> Result<()> {
    let world = World::with_scripts()?;
    let client = world.user.path().join("old");
    let say = |version: &str| files::program(&client, format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    say("2.1.100")?;
    let hook = json!({"type": "command", "command": "true", "args": ["one"]});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    world.settings(&settings)?;
    let path = text(&client)?;
    let said = world.ask(&["--client-binary", path])?;
    let expected = "the installed Claude Code 2.1.100 does not support `args`";
    assert_eq!(said.findings(), [(1, expected)], "{}", said.stderr);
    let fix = said.rows[0]["fix"].as_str().context("a fix")?;
    let first = fix.strip_prefix("update it to ").and_then(|rest| rest.strip_suffix(" or later"));
    say(first.context("a version")?)?;
    let said = world.ask(&["--client-binary", path])?;
    assert_eq!(said.findings(), [], "{}", said.stderr);
    Ok(())
}

#[test]
fn what_is_plainly_meant_is_shown_and_then_fixed() -> Result<()> {
    let world = World::with_scripts()?;
    for row in &table().section("files that `--fix` fixes").rows {
        let ([name], expected) = (row.fields(), row.line.trim_start_matches('-'));
        let before = fs::read_to_string(fixtures().join(format!("{name}.json")))?;
        world.project.write(".claude/settings.json", &before)?;
        let run = |arguments: &[&str]| -> Result<(Option<i32>, String)> {
            let output = world.doctor(arguments)?.output()?;
            Ok((output.status.code(), String::from_utf8(output.stdout)?))
        };
        let (exit_code, diff) = run(&["--fix"])?;
        assert_eq!(exit_code, Some(1), "{name}: {diff}");
        let holds = diff.contains("@@ ") || diff.contains("mode 6") || diff.contains("mode 7");
        assert!(holds, "{name}: {diff}");
        assert_eq!(world.project.read(".claude/settings.json")?, before, "{name}");
        assert_eq!(run(&["--fix", "--yes"])?.0, Some(0), "{name}");
        let after = world.project.read(".claude/settings.json")?;
        assert!(after.contains(expected), "{name}: {after}");
        world.ask(&[])?.assert_clean(name);
        let (exit_code, said) = run(&["--fix", "--yes"])?;
        assert_eq!(exit_code, Some(0), "{name}");
        assert_eq!(&*said, "Nothing to change: `--fix` makes only edits that are certain\n", "{name}");
    }
    // What only its author can know is left to them.
    let bytes = fs::read(fixtures().join("rule-as-matcher.json"))?;
    world.project.write(".claude/settings.json", &bytes)?;
    world.doctor(&["--fix", "--yes"])?.out(0)?;
    assert_eq!(fs::read(world.project.path().join(".claude/settings.json"))?, bytes);
    Ok(())
}

#[test]
fn what_is_to_be_written_in_place_of_what_is_not_a_list_is_read() -> Result<()> {
    let world = World::with_scripts()?;
    let put = |value: &str| {
        let settings = format!(r#"{{"hooks": {{"PreToolUse": {value}}}}}"#);
        world.project.write(".claude/settings.json", settings)
    };
    for row in &table().section("what is written in place of what is not a list").rows {
        let ([value], fixed) = (row.fields(), row.line.as_str());
        put(value)?;
        let said = world.ask(&[])?;
        let mut found = said.rows.iter().filter(|row| row["kind"] == "finding");
        let row = found.next().context("a finding")?;
        assert_eq!(row["fix"], format!("write `{fixed}`"), "{value}");
        if fixed.contains('…') {
            continue;
        }
        match value.starts_with('[') {
            true => put(&format!("[{fixed}]"))?,
            false => put(fixed)?,
        }
        world.ask(&[])?.assert_clean(fixed);
    }
    Ok(())
}

#[test]
fn a_client_that_an_editor_bundles_is_too_old_for_a_hook() -> Result<()> {
    let world = World::new()?;
    world.project.write(
        ".claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "onFailure": "block"}]}]}}"#,
    )?;
    for version in ["2.1.71", "2.1.9", "9.9.9"] {
        let editor = if version == "9.9.9" { ".cursor" } else { ".vscode" };
        let extension = format!("{editor}/extensions/anthropic.claude-code-{version}-linux-x64");
        fs::create_dir_all(world.user.path().join(extension))?;
    }
    let said = world.ask(&[])?;
    let whats = said.findings().into_iter().map(|(_, what)| what);
    let of_editors: Vec<&str> = whats.filter(|what| what.contains("extensions")).collect();
    let [what] = &of_editors[..] else {
        panic!("{of_editors:?}");
    };
    assert!(what.contains("Claude Code 2.1.71 does not support `onFailure`"), "{what}");
    Ok(())
}
