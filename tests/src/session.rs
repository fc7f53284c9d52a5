//! One headless run of the client, against a scripted model, in a world of its own.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::isolation::{self, Running};
use crate::mock::{Mock, Script, Turn};
use crate::outcome::Step;
use crate::{DebugLog, Outcome, SYSTEM_PATH, client};

/// Files that the client looks for in the folders above a project.
const CONFIGURATION_ABOVE: [&str; 5] = [".claude", ".mcp.json", "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];

/// A session to come: build it, then [`run`](Session::run) it.
///
/// The client gets an environment of its own: temporary `HOME`, `CLAUDE_CONFIG_DIR` and `TMPDIR`, the system's `PATH`,
/// and nothing of ours. The project is trusted. Its files are left as the test wrote them.
pub struct Session {
    client: PathBuf,
    project: PathBuf,
    outer: Option<PathBuf>,
    config: Option<PathBuf>,
    trusted: Option<PathBuf>,
    allow: Vec<String>,
    arguments: Vec<OsString>,
    variables: BTreeMap<OsString, OsString>,
    path: Option<PathBuf>,
    script: Script,
    more: Vec<Said>,
    before_each: Box<dyn Fn(usize) + Send>,
    debug_log: Option<PathBuf>,
    limit: Duration,
}

/// A message to the client.
enum Said {
    Prompt(String),
    /// A request of the program that runs the client.
    Control(Value),
}

impl Said {
    /// The line on the client's stdin.
    fn line(&self, number: usize) -> String {
        let message = match self {
            Self::Prompt(text) => json!({"type": "user", "message": {"role": "user", "content": text}}),
            Self::Control(request) => {
                json!({"type": "control_request", "request_id": request_id(number), "request": request})
            }
        };
        format!("{message}\n")
    }

    /// Returns `true` if a line of the client's is the answer to it.
    fn is_answered_by(&self, number: usize, event: &Value) -> bool {
        match self {
            Self::Prompt(_) => event["type"] == "result",
            Self::Control(_) => {
                event["type"] == "control_response" && event["response"]["request_id"] == request_id(number).as_str()
            }
        }
    }
}

fn request_id(number: usize) -> String {
    format!("request-{number}")
}

impl Session {
    /// A session of the binary `client` in the folder `project`.
    pub fn new(client: &Path, project: &Path) -> Session {
        Session {
            client: client.to_owned(),
            project: project.to_owned(),
            outer: None,
            config: None,
            trusted: None,
            allow: Vec::new(),
            arguments: Vec::new(),
            variables: BTreeMap::new(),
            path: None,
            script: Script::default(),
            more: Vec::new(),
            before_each: Box::new(|_| ()),
            debug_log: None,
            limit: Duration::from_secs(180),
        }
    }

    /// Adds permission rules that allow (`Bash`, `Edit(src/**)`).
    ///
    /// They are given by `--settings`, so that the project's own settings stay what the test is about.
    #[must_use]
    pub fn allow(mut self, rules: &[&str]) -> Session {
        self.allow.extend(rules.iter().map(|&rule| rule.to_owned()));
        self
    }

    /// Says that the project is within `outer`, a folder whose configuration is the test's own, too.
    #[must_use]
    pub fn within(mut self, outer: &Path) -> Session {
        self.outer = Some(outer.to_owned());
        self
    }

    /// Trusts this folder instead of the project. To the client, a folder of a repository is trusted with the root of its main
    /// working tree.
    #[must_use]
    pub fn trusting(mut self, folder: &Path) -> Session {
        self.trusted = Some(folder.to_owned());
        self
    }

    /// Adds flags of the client's.
    #[must_use]
    pub fn arguments(mut self, arguments: &[&str]) -> Session {
        self.arguments.extend(arguments.iter().map(OsString::from));
        self
    }

    /// Sets a variable in the client's environment, and so in that of its hooks.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Session {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Puts a folder in front of the client's `PATH`.
    #[must_use]
    pub fn path_first(mut self, folder: &Path) -> Session {
        self.path = Some(folder.to_owned());
        self
    }

    /// Uses `folder`, a temporary one of the test's, as `CLAUDE_CONFIG_DIR`: for settings of the user, or for a second
    /// session that continues the first. The `.claude.json` in it is ours to write.
    #[must_use]
    pub fn config_dir(mut self, folder: &Path) -> Session {
        self.config = Some(folder.to_owned());
        self
    }

    /// Adds what the model answers next.
    #[must_use]
    pub fn turn(mut self, turn: Turn) -> Session {
        self.script.turns.push(turn);
        self
    }

    /// Says what the model answers, in this order, after a prompt that begins so, whatever else it was asked meanwhile.
    #[must_use]
    pub fn reply(mut self, prompt: &str, turns: impl Into<Vec<Turn>>) -> Session {
        self.script.replies.push((prompt.to_owned(), turns.into()));
        self
    }

    /// Goes on with another prompt, or a command such as `/clear`, when what came before was answered.
    #[must_use]
    pub fn then(mut self, prompt: &str) -> Session {
        self.more.push(Said::Prompt(prompt.to_owned()));
        self
    }

    /// Goes on with a request of the program that runs the client, such as `set_model`.
    #[must_use]
    pub fn control(mut self, request: Value) -> Session {
        self.more.push(Said::Control(request));
        self
    }

    /// Calls a function before each thing that is said, with its number: 0 is the prompt given to [`run`](Self::run).
    #[must_use]
    pub fn before_each(mut self, call: impl Fn(usize) + Send + 'static) -> Session {
        self.before_each = Box::new(call);
        self
    }

    /// Has the client write its debug log to this file, where the test can follow it.
    #[must_use]
    pub fn debug_log(mut self, log: &DebugLog) -> Session {
        self.debug_log = Some(log.path().to_owned());
        self
    }

    /// Sets how long the client may run; 180 seconds by default.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Session {
        self.limit = limit;
        self
    }

    /// Runs the client with the prompt `go`. After the turns so far, the model says that it is done.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn go(self) -> anyhow::Result<Outcome> {
        self.turn(Turn::text("Done.")).run("go")
    }

    /// Runs the client with `prompt`, to its end.
    ///
    /// # Errors
    ///
    /// If the client cannot be run, or would read a configuration of this machine, or runs past its time limit: it
    /// is then ended, with every process below it. A client that ends with an exit code is not an error, whatever the code.
    pub fn run(self, prompt: &str) -> anyhow::Result<Outcome> {
        let project = self.project.canonicalize().with_context(|| format!("no {}", self.project.display()))?;
        refuse_foreign_configuration(&project, self.outer.as_deref().unwrap_or(&project))?;
        let root = test_support::named_folder("hookkit-session-");
        let folder = |name: &str| -> anyhow::Result<PathBuf> {
            let folder = root.path().join(name);
            fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
            Ok(folder)
        };
        let (home, temporary) = (folder("home")?, folder("tmp")?);
        let config = self.config.clone().map_or_else(|| folder("config"), Ok)?;
        isolation::trust(&config, self.trusted.as_ref().unwrap_or(&project))?;
        let mut files = ["stdout", "stderr", "debug"].map(|name| root.path().join(name));
        if let Some(log) = &self.debug_log {
            files[2].clone_from(log);
        }
        let [stdout, stderr, debug] = &files;
        let mock = Mock::start(self.script.clone())?;

        let mut command = self.command(prompt, debug)?;
        isolation::isolate(&mut command, &home, &config, &temporary, &mock.url());
        command
            .current_dir(&project)
            .env("PATH", self.search_path()?)
            .envs(&self.variables)
            // A group of its own: a signal that a hook sends to its group by mistake never meets the test runner.
            .process_group(0)
            .stdin(if self.more.is_empty() { Stdio::null() } else { Stdio::piped() })
            // Files, not pipes: what a hook leaves running in the background cannot hold us up.
            .stdout(File::create(stdout)?)
            .stderr(File::create(stderr)?);
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("cannot start {}", self.client.display()))?;
        let mut client = Running(child);
        let steps = match client.0.stdin.take() {
            Some(stdin) => self.talk(prompt, stdin, stdout, &mock, &mut client.0)?,
            None => Vec::new(),
        };
        let status = client.wait(self.limit).context("cannot wait for the client")?;
        let took = started.elapsed();

        // What was cut off, or never written, is for the assertions to find.
        let [stdout, stderr, debug] =
            files.map(|file| String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned());
        let Some(status) = status else {
            bail!("the client ran past {:?}; its stderr:\n{stderr}\nits debug log:\n{debug}", self.limit)
        };
        Ok(Outcome {
            exit_code: status.code(),
            took,
            stdout,
            events: OnceLock::new(),
            stderr,
            debug,
            requests: mock.requests(),
            steps,
            _folder: root,
        })
    }

    /// Says one thing after the other, each when the one before was answered; where each of them began.
    fn talk(
        &self,
        prompt: &str,
        mut stdin: ChildStdin,
        stdout: &Path,
        mock: &Mock,
        client: &mut Child,
    ) -> anyhow::Result<Vec<Step>> {
        let deadline = Instant::now() + self.limit;
        let first = Said::Prompt(prompt.to_owned());
        let mut steps = Vec::new();
        let mut printed = Printed::new(stdout);
        for (number, said) in [&first].into_iter().chain(&self.more).enumerate() {
            printed.read()?;
            let so_far = printed.events.len();
            steps.push(Step { event: so_far, request: mock.count() });
            (self.before_each)(number);
            // That the client is gone already shows in the outcome.
            if stdin.write_all(said.line(number).as_bytes()).is_err() {
                break;
            }
            let mut answered = so_far;
            while client.try_wait()?.is_none() && Instant::now() < deadline {
                printed.read()?;
                let events = &printed.events;
                for event in &events[answered..] {
                    // A client that is gone meanwhile needs no answer.
                    let _ = answer_without_a_user(event).map(|line| stdin.write_all(line.as_bytes()));
                }
                answered = events.len();
                if events[so_far..].iter().any(|event| said.is_answered_by(number, event)) {
                    break;
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(steps)
    }

    fn command(&self, prompt: &str, debug: &Path) -> anyhow::Result<Command> {
        let mut command = Command::new(&self.client);
        command.args(["--output-format", "stream-json", "--verbose"]);
        if client::has_option(&self.client, "--include-hook-events")? {
            command.arg("--include-hook-events");
        }
        if client::has_option(&self.client, "--debug-file")? {
            command.arg("--debug-file").arg(debug);
        }
        if !self.allow.is_empty() {
            command.arg("--settings").arg(json!({"permissions": {"allow": self.allow}}).to_string());
        }
        command.args(&self.arguments).arg("-p");
        if self.more.is_empty() {
            command.args(["--", prompt]);
        } else {
            command.args(["--input-format", "stream-json"]);
        }
        Ok(command)
    }

    fn search_path(&self) -> anyhow::Result<OsString> {
        let system = env::split_paths(OsStr::new(SYSTEM_PATH));
        env::join_paths(self.path.clone().into_iter().chain(system)).context("the folder cannot be in a PATH")
    }
}

/// Returns the answer of a program that runs the client without a user, where the user is asked something.
fn answer_without_a_user(event: &Value) -> Option<String> {
    if event["type"] != "control_request" || event["request"]["subtype"] != "elicitation" {
        return None;
    }
    let response = json!({"subtype": "success", "request_id": event["request_id"], "response": {"action": "cancel"}});
    Some(format!("{}\n", json!({"type": "control_response", "response": response})))
}

/// The lines that the client has printed, each parsed once.
struct Printed<'p> {
    path: &'p Path,
    read: u64,
    events: Vec<Value>,
}

impl<'p> Printed<'p> {
    fn new(path: &'p Path) -> Self {
        Self { path, read: 0, events: Vec::new() }
    }

    /// Reads the lines that are new.
    fn read(&mut self) -> io::Result<()> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut new = Vec::new();
        file.read_to_end(&mut new)?;
        // The last line may be unfinished.
        let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines = new[..whole].split_inclusive(|byte| *byte == b'\n');
        self.events.extend(lines.map(|line| serde_json::from_slice(line).unwrap_or_default()));
        self.read += whole as u64;
        Ok(())
    }
}

fn refuse_foreign_configuration(project: &Path, outer: &Path) -> anyhow::Result<()> {
    if let Some(path) = isolation::machine_configuration() {
        bail!("the client would read {}, of this machine", path.display());
    }
    let is_foreign = |folder: &&Path| *folder != project && !folder.starts_with(outer);
    if let Some(path) = isolation::found_in(project.ancestors().filter(is_foreign), &CONFIGURATION_ABOVE) {
        bail!("the client would read {}, above the project: set TMPDIR to another folder", path.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Project;

    #[test]
    fn a_configuration_above_the_project_is_refused() -> anyhow::Result<()> {
        let outer = Project::new()?;
        outer.write("CLAUDE.md", "of another project")?;
        outer.write("inner/a.txt", "")?;
        let inner = outer.path().join("inner");
        let error = refuse_foreign_configuration(&inner, &inner).map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("CLAUDE.md")));
        Ok(())
    }
}
