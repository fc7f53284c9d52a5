//! Programs that a hook runs, with limits on their time and output.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookkit_protocol::search_path::outside;

use crate::sys;

mod group;
mod streams;

use group::Group;
use streams::{BLOCK, OutputLimit, Received, Streams};

pub use crate::quote::shell_word;

/// A program to run, with its arguments.
///
/// Unlike [`std::process::Command`], it limits the time and the output, and kills the program when the hook ends.
/// The program
///
/// - gets its arguments unchanged: no shell interprets them;
/// - reads the bytes of [`stdin`](Self::stdin), or nothing, and never the hook's payload;
/// - has as much time as the hook, less the time to answer, or its [`time_limit`](Self::time_limit);
/// - is killed with its process group after that time, and when the hook ends; after SIGKILL and `_exit`, which the
///   hook cannot handle, Linux kills only the program, and other systems kill nothing;
/// - prints into memory, up to a limit: see [`output_limit`](Self::output_limit).
///
/// It inherits the hook's environment variables and its current directory, which is the session's.
/// [`detach`](Self::detach) starts a program that outlives the hook.
///
/// ```
/// use std::io::ErrorKind;
///
/// use hookkit::prelude::*;
/// use hookkit::process::Command;
///
/// /// Shows Claude the linter's findings in an edited file.
/// #[hook(PostToolUse, matcher = "Edit|Write", timeout = 20)]
/// pub fn lint(event: PostToolUse<tool::FileChange>) -> Result<PostToolUseAnswer, Error> {
///     let linted = Command::new("ruff").arg("check").arg("--").arg(&event.input.file_path).output();
///     match linted {
///         Ok(output) if output.status.success() => Ok(PostToolUseAnswer::pass()),
///         Ok(output) => Ok(PostToolUseAnswer::pass().with_context(output.stdout_text())),
///         // It is optional.
///         Err(err) if err.kind() == ErrorKind::NotFound => Ok(PostToolUseAnswer::pass()),
///         Err(err) => Err(err.into()),
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct Command {
    /// Command with the program's name as the author wrote it; `startable` replaces the name with a path.
    command: std::process::Command,
    stdin: Vec<u8>,
    time_limit: Option<Duration>,
    output_limit: OutputLimit,
    is_merged: bool,
}

/// The output and status of a program that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// The program's exit code, or the signal that ended it.
    pub status: ExitStatus,
    /// Text on stdout, up to the [limit](Command::output_limit).
    pub stdout: Vec<u8>,
    /// Text on stderr, up to the limit.
    pub stderr: Vec<u8>,
    /// `true` if the program printed more than the limit.
    pub is_cut_off: bool,
}

impl Output {
    /// Returns the text on stdout, without trailing whitespace. U+FFFD replaces invalid UTF-8.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.stdout.trim_ascii_end())
    }

    /// Returns the text on stderr, as [`stdout_text`](Self::stdout_text) does for stdout.
    pub fn stderr_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.stderr.trim_ascii_end())
    }
}

/// Returns the last lines of a text, such as the output of a failed build, without trailing whitespace.
///
/// ```
/// use hookkit::process::last_lines;
///
/// assert_eq!(last_lines("Compiling\nerror: no\naborting\n", 2), "error: no\naborting");
/// ```
pub fn last_lines(text: &str, count: usize) -> &str {
    let text = text.trim_ascii_end();
    let mut ends = text.rmatch_indices('\n');
    match count.checked_sub(1) {
        None => "",
        Some(others) => ends.nth(others).map_or(text, |(end, _)| &text[end + 1..]),
    }
}

/// Default limit of an output stream: 1 MiB, more than a model or a person reads.
const OUTPUT_LIMIT: usize = 1 << 20;

/// Time that a program has after SIGTERM, until it is killed.
const GRACE: Duration = Duration::from_millis(100);

/// Time that the hook needs to answer after the kill.
const ANSWER_MARGIN: Duration = Duration::from_millis(100);

/// Interval between checks of the program's exit while another process holds its pipes.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

const SHORTEST_PAUSE: Duration = Duration::from_micros(50);

/// Maximum capacity of a pipe on Linux; it is smaller on other systems.
const LARGEST_PIPE: usize = 1 << 20;

impl From<std::process::Command> for Command {
    /// Converts a command with its program, arguments, variables and folder. Its streams are lost, and so is the fact
    /// that its environment was cleared.
    fn from(command: std::process::Command) -> Self {
        Self { command, ..Self::new("") }
    }
}

impl Command {
    /// Creates a command for a program, given by its path or by a name in `PATH`.
    ///
    /// Only the absolute folders of `PATH` outside of the project are searched. In all other folders, such as `.`, an
    /// empty entry or a folder of the project, a checkout can contain its own `git`. Give the path of a program in the
    /// project. On Windows, the standard library's rules apply.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            command: std::process::Command::new(program),
            stdin: Vec::new(),
            time_limit: None,
            output_limit: OutputLimit { limit: OUTPUT_LIMIT, keeps_end: false },
            is_merged: false,
        }
    }

    /// Adds an argument. A path that could begin with `-` needs a `--` before it.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.command.env_remove(name);
        self
    }

    /// Sets the working directory. The default is the hook's.
    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets the bytes that the program reads from stdin; by default, none.
    pub fn stdin(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets the time limit of the program. It never has more time than the hook itself.
    pub fn time_limit(&mut self, limit: Duration) -> &mut Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets the maximum number of bytes to keep of stdout, and of stderr; the default is 1 MiB. The rest is discarded.
    pub fn output_limit(&mut self, bytes: usize) -> &mut Self {
        self.output_limit.limit = bytes;
        self
    }

    /// Keeps the end of the output instead of the beginning: test runners print their summary there.
    pub fn keep_end(&mut self) -> &mut Self {
        self.output_limit.keeps_end = true;
        self
    }

    /// Redirects stderr to stdout, in the order that the program writes.
    pub fn stderr_to_stdout(&mut self) -> &mut Self {
        self.is_merged = true;
        self
    }

    /// Runs the program until it exits. A nonzero exit status is not an error.
    ///
    /// If the program leaves a process running, such as a daemon, the hook does not wait for it and does not kill it;
    /// the process's pipes are closed.
    ///
    /// # Errors
    ///
    /// Fails with [`NotFound`](io::ErrorKind::NotFound) if there is no such program, with
    /// [`TimedOut`](io::ErrorKind::TimedOut) if it timed out and was killed, and with any other kind if it could not be
    /// started.
    /// The message contains the program's name, but not its arguments and variables, which may be secret.
    pub fn output(&mut self) -> io::Result<Output> {
        let limit = self.limit();
        self.run(limit).map_err(|err| self.with_message(&err, limit))
    }

    /// Starts the program and does not wait for it: it continues after the hook has ended. Returns its process id.
    ///
    /// It reads nothing and prints nowhere, since the client waits until all copies of the hook's stdout and stderr are
    /// closed (2.1.330). It has its own process group, on Unix its own session, so that it survives the end of the hook
    /// and of the client. (On Windows, it is killed if the hook fails after that.) The limits of this command do not
    /// apply to it, and its exit status is lost: a program that can hang needs its own limit, and a program with a
    /// result writes it into a file, for example with [`detach_to`](Self::detach_to).
    ///
    /// If the model should read the result, an `async` hook is simpler: see [`AsyncAnswer`](crate::answer::AsyncAnswer).
    ///
    /// ```
    /// use hookkit::prelude::*;
    /// use hookkit::process::Command;
    ///
    /// /// Fetches from the remote repository while the session goes on.
    /// #[hook(SessionStart)]
    /// pub fn fetch(context: Context) -> Result<(), Error> {
    ///     let mut git = Command::new("git");
    ///     // A question for a password would wait forever.
    ///     git.args(["fetch", "--quiet"]).current_dir(context.project_dir).env("GIT_TERMINAL_PROMPT", "0");
    ///     git.detach()?;
    ///     Ok(())
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// # Errors
    ///
    /// Fails like [`output`](Self::output) if the program cannot be started. Also fails if it has bytes for
    /// [`stdin`](Self::stdin), which only a waiting hook could write.
    pub fn detach(&mut self) -> io::Result<u32> {
        self.start_detached(Stdio::null(), Stdio::null()).map_err(|err| self.with_message(&err, None))
    }

    /// Starts the program like [`detach`](Self::detach), with both of its output streams in a file.
    ///
    /// # Errors
    ///
    /// Fails like [`detach`](Self::detach).
    pub fn detach_to(&mut self, file: File) -> io::Result<u32> {
        let stderr = file.try_clone()?;
        self.start_detached(file.into(), stderr.into()).map_err(|err| self.with_message(&err, None))
    }

    fn start_detached(&self, stdout: Stdio, stderr: Stdio) -> io::Result<u32> {
        if !self.stdin.is_empty() {
            let why = "a detached program reads no stdin: write the bytes into a file, and pass its path";
            return Err(io::Error::other(why));
        }
        let mut command = self.startable()?;
        sys::lead_session(&mut command);
        command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
        Ok(command.spawn()?.id())
    }

    /// Returns the time that the program may take so that the hook can still answer.
    fn limit(&self) -> Option<Duration> {
        let left = sys::time_left().map(|left| left - (GRACE + ANSWER_MARGIN).min(left / 2));
        match (self.time_limit, left) {
            (Some(limit), Some(left)) => Some(limit.min(left)),
            (limit, left) => limit.or(left),
        }
    }

    fn run(&mut self, limit: Option<Duration>) -> io::Result<Output> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let (mut running, mut streams) = self.start()?;
        running.wait(&mut streams, deadline)?;
        let status = running.reap()?;
        Ok(Output {
            status,
            is_cut_off: streams.stdout.is_cut_off || streams.stderr.is_cut_off,
            stdout: streams.stdout.into_bytes(),
            stderr: streams.stderr.into_bytes(),
        })
    }

    /// Returns the command with the path of its program.
    fn startable(&self) -> io::Result<std::process::Command> {
        let mut command = sys::resolve(self.command.get_program(), &self.searched())?;
        command.args(self.command.get_args());
        #[cfg(any(feature = "testing", test))]
        crate::testing::programs::surround(&mut command, &self.command);
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        Ok(command)
    }

    /// Returns the program's `PATH`, without the folders that are not searched.
    fn searched(&self) -> OsString {
        let [project, home] = ["CLAUDE_PROJECT_DIR", "HOME"].map(|name| sys::variable(name).map(PathBuf::from));
        let real = |path: &Path| path.canonicalize().ok();
        outside(&self.search_path(), project.as_deref(), home.as_deref(), real)
    }

    /// Returns the program's `PATH`.
    fn search_path(&self) -> OsString {
        let mut variables = self.command.get_envs();
        let path = match variables.find(|(name, _)| *name == "PATH") {
            Some((_, path)) => path.map(OsStr::to_owned),
            None => sys::variable("PATH"),
        };
        // The default of the C library.
        path.unwrap_or_else(|| "/bin:/usr/bin".into())
    }

    fn start(&mut self) -> io::Result<(Running, Streams<'_>)> {
        let stdin = if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() };
        let (stdout, its_stdout) = io::pipe()?;
        let (stderr, its_stderr) = if self.is_merged {
            (None, its_stdout.try_clone()?)
        } else {
            let (stderr, its_stderr) = io::pipe()?;
            (Some(stderr), its_stderr)
        };
        let mut command = self.startable()?;
        sys::lead_group(&mut command);
        command.stdin(stdin).stdout(its_stdout).stderr(its_stderr);
        let (child, group) = Group::of(|| command.spawn())?;
        // Closes our copies of the pipes' other ends: while one is open, reading does not end.
        drop(command);
        let group = Some(group);
        let mut running = Running { child, group };
        let streams = Streams {
            stdin: sys::polled_stdin(running.child.stdin.take(), &self.stdin)?,
            unwritten: &self.stdin,
            stdout: Received::new(Some(stdout), self.output_limit),
            stderr: Received::new(stderr, self.output_limit),
        };
        Ok((running, streams))
    }

    fn with_message(&self, err: &io::Error, limit: Option<Duration>) -> io::Error {
        let path = Path::new(self.command.get_program());
        let program = path.display();
        let folder = self.command.get_current_dir();
        // The missing file may also be the working directory, or a script's interpreter.
        let is_there = sys::resolve(path.as_os_str(), &self.searched())
            .is_ok_and(|found| folder.unwrap_or(Path::new("")).join(found.get_program()).exists());
        let lost_folder = folder.filter(|folder| !folder.is_dir());
        let is_missing = !is_there && lost_folder.is_none();
        let kind = match err.kind() {
            // Callers that ignore `NotFound` must not ignore anything else.
            io::ErrorKind::NotFound if !is_missing => io::ErrorKind::Other,
            kind => kind,
        };
        let message = match err.kind() {
            io::ErrorKind::TimedOut => {
                // Rounded. A float would add 20 KB to each hook that runs a program.
                let limit = limit.unwrap_or_default().saturating_add(Duration::from_millis(50));
                let (seconds, tenths) = (limit.as_secs(), limit.subsec_millis() / 100);
                format!("`{program}` timed out after {seconds}.{tenths} s and was killed")
            }
            io::ErrorKind::NotFound if is_missing => {
                let hint = if path.components().count() == 1 && self.searched() != self.search_path() {
                    " in the absolute folders of `PATH`; relative folders and folders in the project are not \
                     searched: give the program's path"
                } else {
                    ""
                };
                format!("there is no program `{program}`{hint}")
            }
            _ => {
                let place = lost_folder.map_or_else(String::new, |folder| format!(" in `{}`", folder.display()));
                format!("`{program}` could not be run{place}: {err}")
            }
        };
        io::Error::new(kind, message)
    }
}

/// A running program. If it is dropped before it was reaped, the program is killed.
struct Running {
    child: Child,
    /// The program's process group; `None` after the program was reaped.
    group: Option<Group>,
}

impl Running {
    /// Transfers input and output until the program has exited.
    fn wait(&self, streams: &mut Streams<'_>, deadline: Option<Instant>) -> io::Result<()> {
        let mut pause = SHORTEST_PAUSE;
        while !self.has_ended() {
            let left = deadline.map_or(POLL_INTERVAL, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                self.terminate();
                return Err(io::ErrorKind::TimedOut.into());
            }
            if streams.is_closed() {
                // It usually exits within microseconds.
                thread::sleep(pause.min(left));
                pause = (pause * 2).min(POLL_INTERVAL);
            } else {
                streams.transfer(POLL_INTERVAL.min(left))?;
            }
        }
        // All its output is in the pipes. Another process may hold them open forever, so this does not wait for their
        // end.
        for _ in 0..LARGEST_PIPE / BLOCK {
            if !streams.transfer(Duration::ZERO)? {
                break;
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        sys::has_ended(&self.child)
    }

    /// Asks the program to exit, so that it can clean up: git, for example, removes its lock files.
    fn terminate(&self) {
        let Some(group) = &self.group else { return };
        group.terminate();
        let asked = Instant::now();
        while !self.has_ended() && asked.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the status of an exited program, and releases the processes that it left running.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        // After `wait`, its id may belong to another process.
        self.group = None;
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            group.kill();
            let _ = self.reap();
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
