//! The pack `faults-hooks`: hooks that fail in every way that is known, installed in a project.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Result, anyhow};

use crate::Project;
use crate::workspace::install;
use crate::xtask::installed;

/// The faults of a handler, each with the first words that the hook reports.
pub const IN_THE_HANDLER: &[(&str, &str)] = &[
    ("error", "the disk is full and so am I"),
    ("panic", "it panicked at "),
    ("panic-with-a-number", "it panicked at "),
    ("panic-in-thread", "it panicked at "),
    ("panic-in-drop", "it panicked at "),
    ("panic-while-panicking", "it panicked at "),
    ("panic-in-format", "it panicked at "),
    ("panic-that-is-caught", "it panicked at "),
    ("exit", "something in it ended the process (exit)"),
    ("exit-in-thread", "something in it ended the process (exit)"),
    ("abort", "it aborted (SIGABRT)"),
    ("overflow", "it touched memory that is not its own"),
    ("overflow-in-thread", "it touched memory that is not its own"),
    ("wild-pointer", "it touched memory that is not its own"),
    ("no-memory", "it aborted (SIGABRT)"),
    ("too-much-memory", "it aborted (SIGABRT)"),
    ("loop", "it was not done in time"),
    ("sleep", "it was not done in time"),
    ("hung-child", "it was not done in time"),
    ("late-program", "`sh` was not done in 0.7 s, and was ended"),
    ("error-beside-a-program", "while a program runs"),
    ("panic-beside-a-program", "it panicked at "),
    ("exit-beside-a-program", "something in it ended the process (exit)"),
    ("abort-beside-a-program", "it aborted (SIGABRT)"),
    ("sleep-beside-a-program", "it was not done in time"),
    ("term", "it was told to end (SIGTERM)"),
    ("int", "it was interrupted (SIGINT)"),
    ("hup", "its terminal is gone (SIGHUP)"),
    ("xcpu", "it used up its processor time (SIGXCPU)"),
    ("xfsz", "it wrote a file larger than it may (SIGXFSZ)"),
    ("quit", "it was told to quit (SIGQUIT)"),
    ("trap", "it ran into an instruction that is none (SIGILL)"),
    ("sys", "it did what the system does not let it do (SIGSYS)"),
    ("alrm", "it was not done in time"),
];

/// Events whose action a hook can refuse, by a recorded payload of each.
pub const REFUSABLE: &[&str] = &[
    "PreToolUse-Bash",
    "PermissionRequest-Bash",
    "UserPromptSubmit",
    "Stop",
    "PreCompact-manual",
    "TaskCreated",
    "ConfigChange-user_settings",
];

/// Events on which a hook can refuse nothing, likewise.
pub const OBSERVED: &[&str] = &["PostToolUse-Bash", "SessionStart-startup"];

/// What a failed hook does to the action at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// It refuses the action.
    Block,
    /// It lets the action go ahead.
    Continue,
}

/// The hooks with faults, installed in one project for all tests of a process.
pub struct Faults {
    project: Project,
}

impl Faults {
    /// Installs them, the first time.
    ///
    /// # Errors
    ///
    /// Where they cannot be built.
    pub fn get() -> Result<&'static Self> {
        static FAULTS: OnceLock<Result<Faults, String>> = OnceLock::new();
        let made = FAULTS.get_or_init(|| {
            let project = Project::new().map_err(|err| format!("{err:#}"))?;
            install("faults-hooks", &project).map_err(|err| format!("{err:#}"))?;
            Ok(Self { project })
        });
        made.as_ref().map_err(|err| anyhow!("{err}"))
    }

    /// The project that they are installed in.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// A hook as the client starts it: the leader of a process group of its own. `fault` is what goes wrong in it.
    ///
    /// # Errors
    ///
    /// Where there is no such hook.
    pub fn hook(&self, name: &str, fault: &str, folder: &Path) -> Result<Command> {
        let mut command = Command::new(installed(self.project.path(), name)?);
        command
            .current_dir(folder)
            .env("FAULT", fault)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(command)
    }
}
