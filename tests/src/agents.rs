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

    /// Returns the program for a test. Without it the test is skipped, or fails where `HOOKKIT_REQUIRE_CLIENT` is `1`.
    ///
    /// # Panics
    ///
    /// Where it is required, and not installed.
    pub fn require(test_name: &str) -> Option<PathBuf> {
        let program = Self::locate();
        if program.is_none() {
            let why = "Codex is not installed: cargo dev client --agent codex";
            assert!(
                variable("HOOKKIT_REQUIRE_CLIENT").is_none_or(|value| value != "1"),
                "skipped: {test_name}: {why}"
            );
            crate::skip(test_name, why);
        }
        program
    }

    /// Installs the version of the table with npm, unless it is there.
    ///
    /// # Errors
    ///
    /// If npm is missing or fails, or there is no package for this platform.
    pub fn install() -> Result<PathBuf> {
        if let Some(program) = Self::locate() {
            return Ok(program);
        }
        let [package, version, _] = CODEX.seen;
        let platform = platform().context("no package for this platform")?;
        npm_install(
            &folder().context("no cache folder")?,
            &format!("{package}@{version}-{platform}"),
        )?;
        Self::locate().context("the package has no program")
    }

    /// Returns a client for a project.
    ///
    /// # Errors
    ///
    /// If its home cannot be made.
    pub fn new(program: &Path, project: &Path) -> Result<Self> {
        let (home, project) = (test_support::folder(), project.canonicalize()?);
        fs::create_dir(home.path().join(".codex"))?;
        Ok(Self {
            program: program.to_owned(),
            home,
            project,
        })
    }

    /// Returns a command of the client, which asks the model at this address.
    fn command(&self, url: &str, arguments: &[&str]) -> Result<Command> {
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = \"{url}/v1\"\n\
             wire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
             [projects.{:?}]\ntrust_level = \"trusted\"\n",
            self.project
        );
        let file = self.home.path().join(".codex/config.toml");
        // Trust is kept in the same file.
        let trusted = fs::read_to_string(&file).unwrap_or_default();
        let trusted = trusted.find("[hooks").map_or("", |at| &trusted[at..]);
        fs::write(&file, format!("{config}\n{trusted}"))?;
        let mut command = Command::new(&self.program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command
            .args(arguments)
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", path)
            .process_group(0);
        command
            .env("HOME", self.home.path())
            .env("SHELL", "/bin/bash")
            .env("MOCK_KEY", "dummy")
            .stderr(Stdio::null());
        Ok(command)
    }

    /// Has the client trust the hooks of the project, as its own screen does. Returns the number of those that were not.
    ///
    /// # Errors
    ///
    /// If the client does not answer.
    pub fn trust(&self) -> Result<usize> {
        let mut command = self.command("http://127.0.0.1:9", &["app-server"])?;
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
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
        let arguments = [
            "exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", "go",
        ];
        let mut command = self.command(&mock.url(), &arguments)?;
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
