//! `cargo xtask doctor --client` reports how the real client reads settings, and does not run commands or write files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hookkit_tests::documented::Documented;
use hookkit_tests::files::contents as files;
use hookkit_tests::xtask::{command, repository};
use hookkit_tests::{Project, client};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A user's configuration folder and project.
struct User {
    project: Project,
    /// Folder of the project that is asked about.
    folder: &'static str,
    config: TempDir,
}

/// The output of the command, and its exit code.
struct Report {
    answer: Value,
    exit_code: Option<i32>,
    stderr: String,
}

impl User {
    fn new() -> Result<Self> {
        Ok(Self {
            project: Project::new()?,
            folder: "",
            config: test_support::folder(),
        })
    }

    /// Returns a handler whose command would create a file.
    fn handler(&self) -> Value {
        json!({"type": "command", "command": format!("touch {}", self.trace().display())})
    }

    fn trace(&self) -> PathBuf {
        self.config.path().join("trace")
    }

    fn of_project(&self, settings: &Value) -> Result<()> {
        self.project.write(".claude/settings.json", settings.to_string())
    }

    /// Runs the command, and checks that it changes no file of the user's.
    fn ask(&self, client: &Path, more: &[&str]) -> Result<Report> {
        let before = (files(self.project.path())?, files(self.config.path())?);
        let mut asked = command(repository(), &["doctor", "--client", "--project"])?;
        asked
            .arg(self.project.path().join(self.folder))
            .arg("--client-binary")
            .arg(client)
            .args(more);
        // Variables that the user's shell would set.
        asked.env("CLAUDE_CONFIG_DIR", self.config.path());
        asked.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
        let output = asked.output()?;
        assert!(!self.trace().exists(), "a command ran");
        let after = (files(self.project.path())?, files(self.config.path())?);
        assert!(before == after, "a file was changed");
        if more.contains(&"--json") && !output.stdout.is_empty() {
            Documented::read()?.rows("doctor --client", str::from_utf8(&output.stdout)?)?;
        }
        Ok(Report {
            answer: serde_json::from_slice(&output.stdout).unwrap_or_default(),
            exit_code: output.status.code(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

impl Report {
    /// Returns the line of each handler in order, `true` if it is registered, how often it fired, and its subjects.
    fn handlers(&self) -> Vec<(u64, Option<bool>, u64, String)> {
        let handlers = self.answer["handlers"].as_array().into_iter().flatten();
        let handler = |handler: &Value| {
            let on = handler["on"].as_array().into_iter().flatten().filter_map(Value::as_str);
            (
                handler["line"].as_u64().unwrap_or_default(),
                handler["registered"].as_bool(),
                handler["fired"].as_u64().unwrap_or_default(),
                on.collect::<Vec<_>>().join(" "),
            )
        };
        handlers.map(handler).collect()
    }

    fn why(&self, handler: usize) -> &str {
        self.answer["handlers"][handler]["why"].as_str().unwrap_or_default()
    }

    fn reads(&self) -> Vec<Option<bool>> {
        let files = self.answer["files"].as_array().into_iter().flatten();
        files.map(|file| file["read"].as_bool()).collect()
    }
}

#[test]
fn hooks_that_fire_and_hooks_that_never_match() -> Result<()> {
    let client = client!("hooks_that_fire_and_hooks_that_never_match");
    let user = User::new()?;
    let one = user.handler();
    let program = json!({"type": "command", "command": "touch", "args": [user.trace()]});
    let http = json!({"type": "http", "url": "http://hooks.example.invalid/x"});
    let prompt = json!({"type": "prompt", "prompt": "Is it fine? $ARGUMENTS"});
    let agent = json!({"type": "agent", "prompt": "Is it fine?"});
    let mut narrow = one.clone();
    narrow["if"] = json!("Bash(git *)");
    user.of_project(&json!({
        "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "another"},
        "apiKeyHelper": one["command"],
        "hooks": {
            "SessionStart": [{"hooks": [one]}],
            "UserPromptSubmit": [{"hooks": [program]}],
            "PreToolUse": [
                {"matcher": "Edit|Write", "hooks": [one, http]},
                {"matcher": "Bash", "hooks": [prompt, agent]},
                {"matcher": "bash", "hooks": [one]},
                {"hooks": [narrow]},
            ],
            "PreCompact": [{"hooks": [one]}],
            "SessionEnd": [{"hooks": [one]}],
            "Stop": [{"matcher": "*", "hooks": [prompt, agent]}],
        },
    }))?;
    fs::write(
        user.config.path().join("settings.json"),
        json!({"hooks": {"Stop": [{"hooks": [one]}]}}).to_string(),
    )?;

    let report = user.ask(&client, &["--json"])?;
    let is = |fired: u64, on: &str| (1, Some(true), fired, on.to_owned());
    // In the order of the file: the user's Stop, then the project's from PreCompact to UserPromptSubmit.
    let expected = [
        is(1, ""),
        is(0, ""),
        is(2, "Edit Write"),
        is(2, ""),
        is(1, ""),
        is(1, ""),
        is(0, ""),
        is(0, ""),
        is(1, "other"),
        is(1, "startup"),
        is(1, ""),
        is(1, ""),
        is(1, ""),
    ];
    assert_eq!(report.handlers(), expected, "{}", report.stderr);
    // `StructuredOutput` is the tool that the `agent` hook answers with.
    assert_eq!(
        report.why(6),
        "the session had PreToolUse on Bash, Edit, Read, StructuredOutput, Write: its matcher matches none of them"
    );
    let holds = report.why(7).ends_with("its `if` matches none of them");
    assert!(holds, "{}", report.why(7));
    assert_eq!(report.why(1), "the session had no PreCompact");
    assert_eq!(report.exit_code, Some(0));
    let found = report.answer["version"].as_str();
    assert_eq!(found, Some(&*format!("{} (Claude Code)", client::VERSION)));
    Ok(())
}

#[test]
fn dropped_hooks_have_the_clients_reason() -> Result<()> {
    let client = client!("dropped_hooks_have_the_clients_reason");
    let user = User::new()?;
    let one = user.handler();
    // The client drops the whole file if it cannot load a guard.
    user.of_project(&json!({"hooks": {"PreToolUse": [{"hooks": [one]}, {"hooks": [{"type": "command"}]}]}}))?;
    user.project.write(
        ".claude/settings.local.json",
        format!("{{\n  \"hooks\": {{\n    \"Stop\": [{{\"hooks\": [\n      {one}\n    ]}}]\n  }},\n}}\n"),
    )?;
    fs::write(
        user.config.path().join("settings.json"),
        json!({"hooks": {"Nonsense": [{"hooks": [one]}], "PostToolUse": [{"hooks": [{"type": "command"}, one]}]}})
            .to_string(),
    )?;

    let report = user.ask(&client, &["--json"])?;
    assert_eq!(report.exit_code, Some(1), "{}", report.stderr);
    assert_eq!(report.reads(), [Some(true), Some(false), Some(false)]);
    let registered: Vec<_> = report
        .handlers()
        .into_iter()
        .map(|(line, registered, ..)| (line, registered))
        .collect();
    let not = |line: u64| (line, Some(false));
    assert_eq!(registered, [not(1), not(1), (1, Some(true)), not(1), not(1), not(4)]);
    let holds = report.why(0).contains("Unknown hook event \"Nonsense\"");
    assert!(holds, "{}", report.why(0));
    assert!(report.why(1).contains("entry ignored"), "{}", report.why(1));
    let holds = report
        .why(3)
        .contains("hooks.PreToolUse.1.hooks.0: Invalid command hook");
    assert!(holds, "{}", report.why(3));
    assert!(report.why(5).contains("Invalid or malformed JSON"), "{}", report.why(5));
    Ok(())
}

#[test]
fn an_invalid_file_is_withheld_from_the_client() -> Result<()> {
    let client = client!("an_invalid_file_is_withheld_from_the_client");
    let user = User::new()?;
    let one = user.handler();
    let settings = json!({"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [one]}]}});
    user.of_project(&settings)?;
    let half = settings.to_string();
    user.project
        .write(".claude/settings.local.json", &half[..half.len() - 1])?;
    let report = user.ask(&client, &["--json"])?;
    assert_eq!(report.reads(), [Some(true), Some(false)], "{}", report.stderr);
    let withheld = report.answer["files"][1]["withheld"].as_str().context("a reason")?;
    assert!(withheld.contains("this is not JSON"), "{withheld}");
    assert!(report.why(0).contains("disableAllHooks"), "{}", report.why(0));
    assert_eq!(report.exit_code, Some(1));
    Ok(())
}

#[test]
fn a_program_that_is_not_the_client_is_an_error() -> Result<()> {
    if client::require("a_program_that_is_not_the_client_is_an_error").is_none() {
        return Ok(());
    }
    let user = User::new()?;
    let report = user.ask(Path::new("/bin/false"), &[])?;
    assert!(report.stderr.contains("there are no settings"), "{}", report.stderr);
    user.of_project(&json!({}))?;
    let report = user.ask(Path::new("/bin/false"), &[])?;
    let holds = report.stderr.contains("does not print its version");
    assert!(holds, "{}", report.stderr);
    assert_eq!(report.exit_code, Some(2));
    Ok(())
}

#[test]
fn a_folder_of_a_repository_has_the_hooks_of_its_local_settings() -> Result<()> {
    let client = client!("a_folder_of_a_repository_has_the_hooks_of_its_local_settings");
    let user = User {
        folder: "app",
        ..User::new()?
    };
    let settings = json!({"hooks": {"Stop": [{"hooks": [user.handler()]}]}});
    user.of_project(&settings)?;
    user.project.write("app/a.txt", "")?;
    user.project
        .write(".claude/settings.local.json", settings.to_string())?;
    let fired = || (1, Some(true), 1, String::new());
    let report = user.ask(&client, &["--json"])?;
    assert_eq!(report.reads(), vec![Some(true)], "{}", report.stderr);
    assert_eq!(report.handlers(), vec![fired()], "{}", report.stderr);
    // The client has one name for both files.
    user.project
        .write("app/.claude/settings.local.json", settings.to_string())?;
    let report = user.ask(&client, &["--json"])?;
    assert_eq!(report.reads(), vec![None, None]);
    assert_eq!(report.handlers(), vec![fired(), fired()]);
    assert_eq!(report.exit_code, Some(0));
    Ok(())
}
