//! `stats` and `doctor` name the calls that a module of a plugin lets through against recorded hooks, and none without one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use hookkit_tests::documented::Documented;
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::{command, text};
use hookkit_tests::{Project, Session, Turn, client};
use serde_json::{Value, json};
use test_support::lines;
use test_support::lines::Lines;

/// A project with recorded hooks, and a session in it.
struct World {
    project: Project,
    state: tempfile::TempDir,
}

impl World {
    fn xtask(&self, config: &Path, folder: &Path, arguments: &[&str]) -> Result<String> {
        let output = command(folder, arguments)?
            .env("CLAUDE_CONFIG_DIR", config)
            .env("XDG_STATE_HOME", self.state.path())
            .output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        // doctor ends with 1 where it finds something.
        ensure!(output.status.code() <= Some(1), "{arguments:?}: {stderr}");
        Ok(String::from_utf8(output.stdout)?)
    }

    fn install(&self, options: &[&str]) -> Result<String> {
        let install = [
            "install",
            "--project",
            text(self.project.path())?,
            "--pack",
            "faults-hooks",
        ];
        self.xtask(self.state.path(), fixture()?, &[&install[..], options].concat())
    }

    /// Puts a module of a plugin into the project.
    fn write_module(&self, code: &str) -> Result<()> {
        let skill = ".claude/skills/other";
        let manifest = r#"{"name":"other","version":"1.0.0"}"#;
        self.project
            .write(&format!("{skill}/.claude-plugin/plugin.json"), manifest)?;
        let modules = r#"{"modules":["./register.js"]}"#;
        self.project.write(&format!("{skill}/hooks/hooks.json"), modules)?;
        let module = format!("export function register(on) {{ {code} }}\n");
        self.project.write(&format!("{skill}/hooks/register.js"), module)
    }

    /// Plays a session, and returns the hooks that were bypassed by `stats`, each with the number of calls.
    fn play(&self, client: &Path, config: &Path, folder: &Path) -> Result<Vec<String>> {
        let call = |line: &str| ("Bash", json!({"command": line, "description": "Run it"}));
        let agent = json!({"description": "Look", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": false});
        let outcome = Session::new(client, folder)
            .within(self.project.path())
            .trusting(self.project.path())
            .allow(&["Bash", "Agent"])
            .config_dir(config)
            .turn(Turn::calls([call("true"), call(": error")]))
            .reply("SUBTASK", vec![Turn::bash("false"), Turn::text("Looked.")])
            .turn(Turn::call("Agent", agent))
            .turn(Turn::call("Read", json!({"file_path": "/nonexistent"})))
            .turn(Turn::text("Done."))
            .run("begin")?;
        assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());
        self.bypassed(config, folder)
    }

    fn bypassed(&self, config: &Path, folder: &Path) -> Result<Vec<String>> {
        let rows = Documented::read()?.rows("stats", &self.xtask(config, folder, &["stats", "--json"])?)?;
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows.iter().filter(|row| row["kind"] == "bypassed") {
            let hook = row["name"].as_str().with_context(|| format!("{row} has no name"))?;
            let did = if row["reason"].is_null() {
                "not started"
            } else {
                "denied"
            };
            *found.entry(format!("{hook} {did}")).or_default() += 1;
        }
        Ok(found
            .into_iter()
            .map(|(what, count)| format!("{what} {count}"))
            .collect())
    }
}

#[test]
fn calls_that_a_module_lets_through_are_named_and_no_others() -> Result<()> {
    let client = client!("calls_that_a_module_lets_through_are_named_and_no_others");
    let world = World {
        project: Project::new()?,
        state: test_support::folder(),
    };
    let project = world.project.path();
    world.install(&["--record"])?;
    let record = world.state.path().join("hookkit/runs.jsonl");
    let table: Lines = lines!("lines/stats.txt");
    for row in &table.section("modules").rows {
        let ([expected], module) = (row.fields(), &row.line);
        let config = test_support::folder();
        // The scripted model uses the same ids in each session.
        fs::write(&record, "")?;
        match &**module {
            "none" => {}
            code => world.write_module(code)?,
        }
        let found = world.play(&client, config.path(), project)?;
        fs::remove_dir_all(project.join(".claude/skills")).or_else(|_| anyhow::Ok(()))?;
        let expected: Vec<&str> = expected.split(", ").filter(|text| *text != "-").collect();
        assert_eq!(found, expected, "{module}");
        let report = world.xtask(config.path(), project, &["doctor", "--json"])?;
        let report: Vec<Value> = report.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let codes = report.iter().filter(|row| row["code"] == "bypassed-in-sessions");
        let named: Vec<_> = codes
            .map(|row| (&row["kind"], row["what"].as_str(), row["line"].is_u64()))
            .collect();
        assert_eq!(named.is_empty(), expected.is_empty(), "{module}: {named:?}");
        let is_severe = |(kind, _, has_line): &(&Value, _, bool)| **kind == "finding" && *has_line;
        assert!(named.iter().all(is_severe), "{named:?}");
    }
    Ok(())
}

#[test]
fn calls_without_a_recorded_run_that_no_hook_had_to_look_at_are_not_bypassed() -> Result<()> {
    let client = client!("calls_without_a_recorded_run_that_no_hook_had_to_look_at_are_not_bypassed");
    let world = World {
        project: Project::new()?,
        state: test_support::folder(),
    };
    let project = world.project.path();
    let config = test_support::folder();
    let record = world.state.path().join("hookkit/runs.jsonl");
    let check = |what: &str, folder: &Path| -> Result<()> {
        // The scripted model uses the same ids in each session.
        fs::remove_dir_all(config.path().join("projects"))?;
        fs::write(&record, "")?;
        let found = world.play(&client, config.path(), folder)?;
        ensure!(found.is_empty(), "{what}: {found:?}");
        Ok(())
    };
    world.install(&[])?;
    assert_eq!(world.play(&client, config.path(), project)?, Vec::<String>::new());
    world.install(&["--record"])?;
    let outcome = Session::new(&client, project)
        .arguments(&["--continue"])
        .config_dir(config.path())
        .allow(&["Bash"])
        .turn(Turn::bash("true"))
        .go()?;
    assert_eq!(outcome.exit_code(), Some(0), "{}", outcome.stderr());
    assert!(fs::read_to_string(&record)?.contains("PreToolUse"));
    assert_eq!(world.bypassed(config.path(), project)?, Vec::<String>::new());

    world.project.write("sub/a.txt", "")?;
    check("another folder", &project.join("sub"))?;

    let settings = fs::read_to_string(project.join(".claude/settings.json"))?;
    let with_if = settings.replace(r#""type": "command""#, r#""if": "Bash(git *)", "type": "command""#);
    assert_ne!(with_if, settings);
    world.project.write(".claude/settings.json", with_if)?;
    check("an `if`", project)?;
    world.project.write(".claude/settings.json", &settings)?;

    // As `cargo xtask off` writes it.
    let off = "#!/bin/sh\ncat >/dev/null\necho '{\"systemMessage\": \"it is off\"}'\n";
    for hook in ["strict", "cautious", "lenient", "guard", "advisor", "doubter"] {
        fs::write(project.join(".claude/hookkit/fixture/bin").join(hook), off)?;
    }
    check("off", project)
}
