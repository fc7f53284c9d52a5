//! A run of a hook, as observed from outside.

use hookkit_protocol::hook::Mode;

/// A run of a `command` hook: the call, the way it ended, and its output.
///
/// Create it with [`exit`](Self::exit), with another [`End`], or from a `Response` of hookkit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ran {
    /// The way in which the process ended.
    pub end: End,
    /// The process's stdout.
    pub stdout: Vec<u8>,
    /// The process's stderr. If the process never started, this is the system's message.
    pub stderr: Vec<u8>,
    /// The command in the settings, with its arguments. The client quotes it.
    pub command: String,
    /// Value that the matcher was compared with, such as the tool's name. The client quotes it, too.
    pub target: Option<String>,
    /// The way in which the client waits for the hook.
    pub mode: Mode,
    /// `true` if the entry has `onFailure: "block"`.
    pub blocks_in_settings: bool,
    /// `true` if the hook belongs to a plugin.
    pub is_of_plugin: bool,
}

/// The way in which a hook's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The process ended with this exit code. A shell gives 127 for a command that it does not find, and 126 for one
    /// that it cannot run.
    Exited(i32),
    /// A signal ended the process.
    Killed,
    /// The client ended the process after the time limit.
    TimedOut,
    /// The process never started: a command with `args`, and so without a shell, does not exist or cannot be run.
    NotStarted,
}

impl Ran {
    /// Creates a run that ended with this exit code.
    pub fn exit(code: i32) -> Self {
        Self::ended(End::Exited(code))
    }

    /// Creates a run that ended in this way.
    pub fn ended(end: End) -> Self {
        Self {
            end,
            stdout: Vec::new(),
            stderr: Vec::new(),
            command: "hook".to_owned(),
            target: None,
            mode: Mode::Awaited,
            blocks_in_settings: false,
            is_of_plugin: false,
        }
    }

    /// Sets stdout.
    #[must_use]
    pub fn stdout(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdout = bytes.into();
        self
    }

    /// Sets stderr.
    #[must_use]
    pub fn stderr(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stderr = bytes.into();
        self
    }

    /// Sets the command line.
    #[must_use]
    pub fn command(mut self, line: impl Into<String>) -> Self {
        self.command = line.into();
        self
    }

    /// Sets the target of the matcher: a tool's name, on tool events.
    #[must_use]
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets the way in which the client waits for the hook.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets `onFailure: "block"` in the entry.
    #[must_use]
    pub fn blocks_in_settings(mut self, blocks: bool) -> Self {
        self.blocks_in_settings = blocks;
        self
    }

    /// Makes this a run of a plugin's hook.
    #[must_use]
    pub fn of_plugin(mut self) -> Self {
        self.is_of_plugin = true;
        self
    }

    /// Returns the name and the error of a hookkit hook that failed, from the message that its binary prints.
    pub fn failure(&self) -> Option<(String, String)> {
        const PREFIX: &str = "hookkit: hook `";
        let stderr = self.err();
        // The hook's own output may be before and after the message, even on the same line.
        let line = stderr.lines().rev().find(|line| line.contains(PREFIX))?;
        let (hook, why) = line.split_once(PREFIX)?.1.split_once("` failed: ")?;
        Some((hook.to_owned(), why.to_owned()))
    }

    /// Returns the exit code; 1 if the process did not exit.
    pub(super) fn status(&self) -> i32 {
        match self.end {
            End::Exited(code) => code,
            End::Killed | End::TimedOut | End::NotStarted => 1,
        }
    }

    pub(super) fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub(super) fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}
