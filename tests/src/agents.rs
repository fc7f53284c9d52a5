//! Other agents' real clients: installed by version, and run on a scripted model.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::agents::CODEX;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{cache, npm_install, platform, variable};
use crate::isolation::Running;
use crate::mock::{Mock, Turn};
use crate::xtask::repository;

/// Codex, with a home of its own in which a project is trusted.
pub struct Codex {
    program: PathBuf,
    home: TempDir,
    project: PathBuf,
}

impl Codex {
    /// Returns the program, if it is installed. Its packages are for Linux on x86-64 here.
    pub fn locate() -> Option<PathBuf> {
        let program = folder()?.join("node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex");
        program.is_file().then_some(program)
    }

    /// Returns a client for a test and its project. Without one the test is skipped, or fails where `HOOKKIT_REQUIRE_CLIENT` is `1`.
    ///
    /// # Errors
    ///
    /// If it is required and not installed, or its home cannot be made.
    pub fn require(test_name: &str, project: &Path) -> Result<Option<Self>> {
        let Some(program) = Self::locate() else {
            let why = "Codex is not installed: cargo dev client --agent codex";
            ensure!(
                variable("HOOKKIT_REQUIRE_CLIENT").is_none_or(|value| value != "1"),
                "skipped: {test_name}: {why}"
            );
            crate::skip(test_name, why);
            return Ok(None);
        };
        let (home, project) = (test_support::folder(), project.canonicalize()?);
        fs::create_dir(home.path().join(".codex"))?;
        let config = fs::read_to_string(repository().join("tests/fixtures/codex.toml"))?;
        let trusted = format!("{config}\n[projects.{project:?}]\ntrust_level = \"trusted\"\n");
        fs::write(home.path().join(".codex/config.toml"), trusted)?;
        Ok(Some(Self { program, home, project }))
    }

    /// Installs the version of the table with npm, unless it is there.
    ///
    /// # Errors
    ///
    /// If npm is missing or fails, or there is no package for this platform.
    pub fn install() -> Result<PathBuf> {
        let [package, version, _] = CODEX.seen;
        if Self::locate().is_none() {
            let platform = platform().context("no package for this platform")?;
            npm_install(
                &folder().context("no cache folder")?,
                &format!("{package}@{version}-{platform}"),
            )?;
        }
        Self::locate().context("the package has no program")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let variables = [("SHELL", "/bin/bash"), ("MOCK_KEY", "dummy")];
        command
            .args(arguments)
            .current_dir(&self.project)
            .process_group(0)
            .stderr(Stdio::null());
        command
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home.path())
            .envs(variables);
        command
    }

    /// Has the client trust the hooks of the project, as its own screen does. Returns the number of those that were not.
    ///
    /// # Errors
    ///
    /// If the client does not answer.
    pub fn trust(&self) -> Result<usize> {
        let mut server = self.command(&["app-server"]);
        let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (mut input, output) = (
            server.stdin.take().context("stdin")?,
            server.stdout.take().context("stdout")?,
        );
        let (_server, mut lines) = (Running(server), BufReader::new(output).lines());
        let mut ask = |method: &str, params: Value| -> Result<Value> {
            writeln!(
                input,
                "{}",
                json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
            )?;
            loop {
                let line: Value = serde_json::from_str(&lines.next().context("the server has ended")??)?;
                if line["id"] == method {
                    ensure!(line["error"].is_null(), "{method}: {line}");
                    return Ok(line["result"].clone());
                }
            }
        };
        ask(
            "initialize",
            json!({"clientInfo": {"name": "tests", "title": "tests", "version": "0"}}),
        )?;
        let listed = ask("hooks/list", json!({"cwds": [&self.project]}))?;
        let hooks = listed["data"][0]["hooks"].as_array().context("no hooks are listed")?;
        let new: Vec<&Value> = hooks.iter().filter(|hook| hook["trustStatus"] != "trusted").collect();
        let edit = |hook: &&Value| {
            let key = hook["key"].as_str().unwrap_or_default();
            let value = json!({(key): {"trusted_hash": hook["currentHash"]}});
            json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value})
        };
        let edits: Vec<Value> = new.iter().map(edit).collect();
        ask("config/batchWrite", json!({"edits": edits, "reloadUserConfig": true}))?;
        Ok(new.len())
    }

    /// Runs a session in which the model makes these calls, one after the other. Returns the output of each that the model reads,
    /// and at last all that it has read.
    ///
    /// # Errors
    ///
    /// If the client does not end, or asks for less.
    pub fn run(&self, calls: Vec<Turn>) -> Result<Vec<String>> {
        let count = calls.len();
        let mock = Mock::start([calls, vec![Turn::text("Done.")]].concat())?;
        let address = format!("model_providers.mock.base_url=\"{}/v1\"", mock.url());
        let arguments = [
            "exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", "-c", &address, "go",
        ];
        let mut command = self.command(&arguments);
        let client = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        Running(client)
            .wait(Duration::from_secs(180))?
            .context("the client does not end")?;
        let requests = mock.requests();
        ensure!(requests.len() > count, "{} requests", requests.len());
        let output = |item: &Value| {
            item["type"]
                .as_str()
                .is_some_and(|kind| kind.ends_with("_output"))
                .then(|| item["output"].to_string())
        };
        let last = &requests.last().context("a request")?.body["input"];
        let all = last.as_array().context("no input")?;
        Ok(all.iter().filter_map(output).chain([last.to_string()]).collect())
    }
}

/// The folder of the installed version.
fn folder() -> Option<PathBuf> {
    Some(cache(variable)?.join(format!("{}-{}", CODEX.id, CODEX.seen[1])))
}
