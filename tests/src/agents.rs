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
    /// Returns a client for a test and its project. Without one the test is skipped, or fails where `HOOKKIT_REQUIRE_CLIENT` is `1`.
    ///
    /// # Errors
    ///
    /// If it is required and not installed, or its home cannot be made.
    pub fn require(test_name: &str, project: &Path) -> Result<Option<Self>> {
        let Some(program) = program().filter(|program| program.is_file()) else {
            let why = "Codex is not installed: cargo dev client --agent codex";
            let is_required = variable("HOOKKIT_REQUIRE_CLIENT").is_some_and(|value| value == "1");
            let is_published = cfg!(all(target_os = "linux", target_arch = "x86_64"));
            ensure!(!(is_required && is_published), "skipped: {test_name}: {why}");
            crate::skip(test_name, why);
            return Ok(None);
        };
        let (home, project) = (test_support::folder(), project.canonicalize()?);
        let config = fs::read_to_string(repository().join("tests/fixtures/codex.toml"))?;
        let config = format!("{config}\n[projects.{project:?}]\ntrust_level = \"trusted\"\n");
        fs::create_dir(home.path().join(".codex"))?;
        fs::write(home.path().join(".codex/config.toml"), config)?;
        Ok(Some(Self { program, home, project }))
    }

    /// Installs the version of the table with npm, unless it is there. Its packages are for Linux on x86-64 here.
    ///
    /// # Errors
    ///
    /// If npm is missing or fails, or there is no package for this platform.
    pub fn install() -> Result<PathBuf> {
        let program = program().context("no cache folder")?;
        if !program.is_file() {
            let platform = platform().context("no package for this platform")?;
            let package = format!("{}@{}-{platform}", CODEX.seen[0], CODEX.seen[1]);
            npm_install(&folder().context("no cache folder")?, &package)?;
        }
        Ok(program)
    }

    fn command(&self, arguments: &[&str], stdout: Stdio) -> Command {
        let mut command = Command::new(&self.program);
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(arguments).current_dir(&self.project).process_group(0);
        command.env_clear().env("PATH", path).env("HOME", self.home.path());
        command.envs([("SHELL", "/bin/bash"), ("MOCK_KEY", "dummy")]);
        command.stderr(Stdio::null()).stdout(stdout);
        command
    }

    /// Has the client trust the hooks of the project, as its own screen does. Returns the number of those that were not.
    ///
    /// # Errors
    ///
    /// If the client does not answer.
    pub fn trust(&self) -> Result<usize> {
        let mut server = self
            .command(&["app-server"], Stdio::piped())
            .stdin(Stdio::piped())
            .spawn()?;
        let mut input = server.stdin.take().context("stdin")?;
        let output = server.stdout.take().context("stdout")?;
        let (_server, mut lines) = (Running(server), BufReader::new(output).lines());
        let mut ask = |method: &str, params: Value| -> Result<Value> {
            let question = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
            writeln!(input, "{question}")?;
            loop {
                let line: Value = serde_json::from_str(&lines.next().context("the server has ended")??)?;
                if line["id"] == method {
                    ensure!(line["error"].is_null(), "{method}: {line}");
                    return Ok(line["result"].clone());
                }
            }
        };
        let client = json!({"name": "tests", "title": "tests", "version": "0"});
        ask("initialize", json!({"clientInfo": client}))?;
        let listed = ask("hooks/list", json!({"cwds": [&self.project]}))?;
        let hooks = listed["data"][0]["hooks"].as_array().context("no hooks are listed")?;
        let new = hooks.iter().filter(|hook| hook["trustStatus"] != "trusted");
        let edits = new.map(|hook| {
            let key = hook["key"].as_str().unwrap_or_default();
            let value = json!({(key): {"trusted_hash": hook["currentHash"]}});
            json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value})
        });
        let edits: Vec<Value> = edits.collect();
        ask("config/batchWrite", json!({"edits": edits, "reloadUserConfig": true}))?;
        Ok(edits.len())
    }

    /// Runs a session in which the model makes these calls, one after the other. Returns the output of each that the model reads,
    /// and at last all that it has read.
    ///
    /// # Errors
    ///
    /// If the client does not end.
    pub fn run(&self, calls: Vec<Turn>) -> Result<Vec<String>> {
        let mock = Mock::start([calls, vec![Turn::text("Done.")]].concat())?;
        let address = format!("model_providers.mock.base_url=\"{}/v1\"", mock.url());
        let options = [
            "--json", "--skip-git-repo-check", "-s", "danger-full-access", "-c", &address,
        ];
        let mut command = self.command(&[&["exec"], &options[..], &["go"]].concat(), Stdio::null());
        let client = Running(command.stdin(Stdio::null()).spawn()?);
        client
            .wait(Duration::from_secs(180))?
            .context("the client does not end")?;
        let requests = mock.requests();
        let all = &requests.last().context("a request")?.body["input"];
        let outputs = all.as_array().context("no input")?.iter().map(|item| &item["output"]);
        let outputs = outputs.filter(|output| !output.is_null()).map(Value::to_string);
        Ok(outputs.chain([all.to_string()]).collect())
    }
}

fn program() -> Option<PathBuf> {
    Some(folder()?.join("node_modules/@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex"))
}

/// The folder of the installed version.
fn folder() -> Option<PathBuf> {
    Some(cache(variable)?.join(format!("{}-{}", CODEX.id, CODEX.seen[1])))
}
