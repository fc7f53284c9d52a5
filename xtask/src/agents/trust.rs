//! The user's trust in hooks, as an agent's own server reports and grants it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::agents::Agent;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::agents::file;
use crate::cargo::program::installed;

/// Time limit for all answers of the server.
const TIME: Duration = Duration::from_secs(10);

/// A hook in the project that the user has not trusted in its current form.
pub(crate) struct Untrusted {
    pub(crate) command: String,
    /// Setting that makes the hook trusted.
    edit: Value,
}

/// The agent's server, which reports on the agent's file of hooks in a project. It stops when this value is dropped.
///
/// The server does not start anything that the project configures: no hooks, no MCP servers, no programs (Codex
/// 0.171.0).
pub(crate) struct Server {
    project: PathBuf,
    file: PathBuf,
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    end: Instant,
}

impl Server {
    /// Starts the server of an agent, if it has one.
    ///
    /// # Errors
    ///
    /// Fails if the program is missing or does not answer.
    pub(crate) fn start(agent: &Agent, file: &Path) -> Result<Option<Self>> {
        let (Some(command), Some(project)) = (agent.server, file::project(agent, file)) else {
            return Ok(None);
        };
        let (project, file) = (project.canonicalize()?, file.canonicalize()?);
        let mut server = installed(agent.program, &project);
        server.arg(command).current_dir(&project).stderr(Stdio::null());
        server.stdin(Stdio::piped()).stdout(Stdio::piped());
        // If it is a script, the program that it starts ends with it.
        let child = server.process_group(0).spawn();
        let mut child = child.with_context(|| format!("`{}` cannot be run", agent.program))?;
        let input = child.stdin.take().context("stdin")?;
        let output = BufReader::new(child.stdout.take().context("stdout")?);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = output.lines().map_while(Result::ok);
            lines.all(|line| sender.send(line).is_ok())
        });
        let end = Instant::now() + TIME;
        let mut server = Self { project, file, child, input, lines, end };
        let client = json!({"name": "hookkit", "title": "hookkit", "version": env!("CARGO_PKG_VERSION")});
        server.ask("initialize", &json!({"clientInfo": client}))?;
        Ok(Some(server))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        let question = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        writeln!(self.input, "{question}")?;
        loop {
            let line = self.lines.recv_timeout(self.end.saturating_duration_since(Instant::now()));
            let line = line.with_context(|| format!("its server does not answer `{method}`"))?;
            let mut answer: Value = serde_json::from_str(&line).unwrap_or_default();
            if answer["id"] == method {
                ensure!(answer["error"].is_null(), "its server fails at `{method}`: {}", answer["error"]);
                return Ok(answer["result"].take());
            }
        }
    }

    /// Returns the hooks in the file that do not run until the user trusts them.
    ///
    /// # Errors
    ///
    /// Fails if the server does not answer, or does not read the file because its folder is not trusted.
    pub(crate) fn untrusted(&mut self) -> Result<Vec<Untrusted>> {
        let listed = self.ask("hooks/list", &json!({"cwds": [self.project]}))?;
        let hooks = listed["data"][0]["hooks"].as_array().into_iter().flatten();
        let mut hooks = hooks.filter(|hook| hook["sourcePath"].as_str().map(Path::new) == Some(&*self.file)).peekable();
        ensure!(hooks.peek().is_some(), "it does not read the file, since it does not trust the folder");
        let hooks = hooks.filter(|hook| hook["trustStatus"] != "trusted");
        let untrusted = hooks.map(|hook| {
            let key = hook["key"].as_str().unwrap_or_default();
            let value = json!({(key): {"trusted_hash": hook["currentHash"]}});
            Untrusted {
                command: hook["command"].as_str().unwrap_or_default().to_owned(),
                edit: json!({"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value}),
            }
        });
        Ok(untrusted.collect())
    }

    /// Marks hooks as trusted, as the agent's own screen does.
    ///
    /// # Errors
    ///
    /// Fails if the server does not accept the change.
    pub(crate) fn trust(&mut self, hooks: &[Untrusted]) -> Result<()> {
        let edits: Vec<&Value> = hooks.iter().map(|hook| &hook.edit).collect();
        self.ask("config/batchWrite", &json!({"edits": edits, "reloadUserConfig": true}))?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited.
        let _ = Pid::from_raw(self.child.id().cast_signed()).map(|group| kill_process_group(group, Signal::KILL));
        let _ = self.child.wait();
    }
}
