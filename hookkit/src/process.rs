//! Programs that a hook runs.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::sys;

mod group;

use group::Group;

/// A program to run, with its arguments.
///
/// [`std::process::Command`] does what a hook must not: it waits for as long as the program likes, keeps all that it
/// prints, and leaves behind what it has started.
/// Here a program
///
/// - gets its arguments as they are: there is no shell that could take a file's name for a command;
/// - gets the bytes of [`stdin`](Self::stdin), or none, and never the hook's payload;
/// - has as much time as the hook has, less what the hook needs to answer, or its [`time_limit`](Self::time_limit);
/// - is ended together with all that is in its process group, when that time is over, and when the hook ends, however it
///   ends; after SIGKILL and `_exit`, which the hook cannot handle, Linux ends the program alone, and other systems do not;
/// - prints into memory, of which there is an end: see [`output_limit`](Self::output_limit).
///
/// It has the hook's variables and its directory, which is the session's.
///
/// ```
/// use std::io::ErrorKind;
///
/// use hookkit::prelude::*;
/// use hookkit::process::Command;
///
/// /// Reports to Claude what the linter finds in a file that it has edited.
/// #[hook(PostToolUse, matcher = "Edit|Write", timeout = 20)]
/// pub fn lint(event: PostToolUse<tool::FileChange>) -> Result<PostToolUseAnswer, Error> {
///     let linted = Command::new("ruff").arg("check").arg("--").arg(&event.input.file_path).output();
///     match linted {
///         Ok(output) if output.status.success() => Ok(PostToolUseAnswer::pass()),
///         Ok(output) => Ok(PostToolUseAnswer::pass().with_context(output.stdout_text())),
///         // Not everybody has it.
///         Err(err) if err.kind() == ErrorKind::NotFound => Ok(PostToolUseAnswer::pass()),
///         Err(err) => Err(err.into()),
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct Command {
    /// Command as the author described it. The one that is started has the program's path.
    command: std::process::Command,
    stdin: Vec<u8>,
    time_limit: Option<Duration>,
    kept: Kept,
    is_merged: bool,
}

/// The limit of a stream.
#[derive(Debug, Clone, Copy)]
struct Kept {
    limit: usize,
    /// `true` if it is the end of it.
    is_end: bool,
}

/// The output and status of a program that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// Its exit code, or the signal that ended it.
    pub status: ExitStatus,
    /// Text on stdout, up to the [limit](Command::output_limit).
    pub stdout: Vec<u8>,
    /// Text on stderr, up to the limit.
    pub stderr: Vec<u8>,
    /// `true` if it has said more than that.
    pub is_cut_off: bool,
}

impl Output {
    /// Returns the text on stdout, without the blanks and line ends behind it. U+FFFD replaces invalid UTF-8.
    pub fn stdout_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.stdout.trim_ascii_end())
    }

    /// Returns the text on stderr, as [`stdout_text`](Self::stdout_text).
    pub fn stderr_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.stderr.trim_ascii_end())
    }
}

/// 1 MiB: more than a model reads, or a person.
const OUTPUT_LIMIT: usize = 1 << 20;

/// Time that a program has to end after SIGTERM.
const GRACE: Duration = Duration::from_millis(100);

/// Time that a hook needs beyond that, to answer.
const TO_ANSWER: Duration = Duration::from_millis(100);

/// Interval at which a program is checked whose pipes another process holds.
const GLANCE: Duration = Duration::from_millis(10);

const SHORTEST_PAUSE: Duration = Duration::from_micros(50);

/// Number of bytes that are read at once.
const BLOCK: usize = 8 * 1024;

/// Maximum capacity of a pipe (Linux; others have smaller ones).
const LARGEST_PIPE: usize = 1 << 20;

impl Command {
    /// A program, by its path, or by a name to look for in `PATH`.
    ///
    /// Only the absolute folders of `PATH` are searched (not yet on Windows, where the standard library's rules apply): a
    /// relative one, such as `.` or an empty one, is in the session's directory, where a checkout can bring a `git` of its
    /// own.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            command: std::process::Command::new(program),
            stdin: Vec::new(),
            time_limit: None,
            kept: Kept {
                limit: OUTPUT_LIMIT,
                is_end: false,
            },
            is_merged: false,
        }
    }

    /// One more argument. A path that could begin with `-` wants a `--` before it.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    /// More arguments.
    pub fn args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.command.env_remove(name);
        self
    }

    /// The folder to run in. Without it, it is that of the hook.
    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets the bytes that the program can read. Without it, there is nothing.
    pub fn stdin(&mut self, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.stdin = bytes.into();
        self
    }

    /// The longest time that the program may take. It never has more than the hook itself.
    pub fn time_limit(&mut self, limit: Duration) -> &mut Self {
        self.time_limit = Some(limit);
        self
    }

    /// Sets how many bytes of stdout, and of stderr, are kept; 1 MiB without it. The rest is read and dropped.
    pub fn output_limit(&mut self, bytes: usize) -> &mut Self {
        self.kept.limit = bytes;
        self
    }

    /// Keeps the end of what the program says, where test runners sum up, and drops what comes before.
    pub fn keep_end(&mut self) -> &mut Self {
        self.kept.is_end = true;
        self
    }

    /// Has complaints go to stdout, in the order in which the program says things.
    pub fn stderr_to_stdout(&mut self) -> &mut Self {
        self.is_merged = true;
        self
    }

    /// Runs the program until it ends. One that ends with a failure is not an error.
    ///
    /// A process that it has started and left behind, as a daemon, lives on, and is not waited for; the pipes that it may still
    /// have are closed.
    ///
    /// # Errors
    ///
    /// Of the kind [`NotFound`](io::ErrorKind::NotFound) where there is no such program;
    /// [`TimedOut`](io::ErrorKind::TimedOut) where it timed out and was killed; and any other where it could not be
    /// started.
    /// The message names the program, and neither its arguments nor its variables, which may be secret.
    pub fn output(&mut self) -> io::Result<Output> {
        let limit = self.limit();
        self.run(limit).map_err(|err| self.in_words(&err, limit))
    }

    /// Returns the time that the program may take. The hook has to answer after that.
    fn limit(&self) -> Option<Duration> {
        let left = sys::time_left().map(|left| left - (GRACE + TO_ANSWER).min(left / 2));
        match (self.time_limit, left) {
            (Some(limit), Some(left)) => Some(limit.min(left)),
            (limit, left) => limit.or(left),
        }
    }

    fn run(&mut self, limit: Option<Duration>) -> io::Result<Output> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let (mut running, mut talk) = self.start()?;
        running.follow(&mut talk, deadline)?;
        let status = running.reap()?;
        Ok(Output {
            status,
            is_cut_off: talk.stdout.is_cut_off || talk.stderr.is_cut_off,
            stdout: talk.stdout.into_bytes(),
            stderr: talk.stderr.into_bytes(),
        })
    }

    /// The command with the program that its name is found to be.
    fn startable(&self) -> io::Result<std::process::Command> {
        let mut command = sys::found(self.command.get_program(), &self.search_path())?;
        command.args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        sys::undisturbed_in_group(&mut command);
        Ok(command)
    }

    /// The `PATH` that the program gets.
    fn search_path(&self) -> OsString {
        let mut variables = self.command.get_envs();
        let path = match variables.find(|(name, _)| *name == "PATH") {
            Some((_, path)) => path.map(OsStr::to_owned),
            None => env::var_os("PATH"),
        };
        // The C library's.
        path.unwrap_or_else(|| "/bin:/usr/bin".into())
    }

    fn start(&mut self) -> io::Result<(Running, Talk<'_>)> {
        let stdin = if self.stdin.is_empty() {
            Stdio::null()
        } else {
            Stdio::piped()
        };
        let (stdout, its_stdout) = io::pipe()?;
        let (stderr, its_stderr) = if self.is_merged {
            (None, its_stdout.try_clone()?)
        } else {
            let (stderr, its_stderr) = io::pipe()?;
            (Some(stderr), its_stderr)
        };
        let mut command = self.startable()?;
        command.stdin(stdin).stdout(its_stdout).stderr(its_stderr);
        let (child, group) = Group::of(|| command.spawn())?;
        // The program alone has the other side of the pipes now, or there is no end of them.
        drop(command);
        let group = Some(group);
        let mut running = Running { child, group };
        let talk = Talk {
            stdin: sys::say_aside(running.child.stdin.take(), &self.stdin)?,
            unsaid: &self.stdin,
            stdout: Received::new(Some(stdout), self.kept),
            stderr: Received::new(stderr, self.kept),
        };
        Ok((running, talk))
    }

    fn in_words(&self, err: &io::Error, limit: Option<Duration>) -> io::Error {
        let path = Path::new(self.command.get_program());
        let program = path.display();
        let folder = self.command.get_current_dir();
        // A folder to run in, and a script's interpreter, may be what is not there.
        let is_there = sys::found(path.as_os_str(), &self.search_path())
            .is_ok_and(|found| folder.unwrap_or(Path::new("")).join(found.get_program()).exists());
        let is_missing = !is_there && folder.is_none_or(Path::is_dir);
        let kind = match err.kind() {
            // Who passes over that it is not there passes over nothing else.
            io::ErrorKind::NotFound if !is_missing => io::ErrorKind::Other,
            kind => kind,
        };
        let words = match err.kind() {
            io::ErrorKind::TimedOut => {
                let limit = limit.unwrap_or_default().as_secs_f32();
                format!("`{program}` timed out after {limit:.1} s and was killed")
            }
            io::ErrorKind::NotFound if is_missing => {
                let is_skipped = |folder: PathBuf| !folder.is_absolute();
                let hint = if path.components().count() == 1 && env::split_paths(&self.search_path()).any(is_skipped) {
                    " in the absolute folders of `PATH`; relative ones are not searched, since a project may have programs \
                     there: write them as absolute ones"
                } else {
                    ""
                };
                format!("there is no program `{program}`{hint}")
            }
            _ => format!("`{program}` could not be run: {err}"),
        };
        io::Error::new(kind, words)
    }
}

/// A program that runs. Dropped before it was reaped, it is ended.
struct Running {
    child: Child,
    /// Processes that end with it, as long as the number is still ours.
    group: Option<Group>,
}

impl Running {
    /// Listens until the program has ended.
    fn follow(&self, talk: &mut Talk<'_>, deadline: Option<Instant>) -> io::Result<()> {
        let mut pause = SHORTEST_PAUSE;
        while !self.has_ended() {
            let left = deadline.map_or(GLANCE, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                self.ask_to_end();
                return Err(io::ErrorKind::TimedOut.into());
            }
            if talk.is_over() {
                // Its end is seldom more than some microseconds away.
                thread::sleep(pause.min(left));
                pause = (pause * 2).min(GLANCE);
            } else {
                talk.go_on(GLANCE.min(left))?;
            }
        }
        // Its output is there. Another process that still has its pipes may have them for ever, and is not waited for.
        for _ in 0..LARGEST_PIPE / BLOCK {
            if !talk.go_on(Duration::ZERO)? {
                break;
            }
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        sys::has_ended(&self.child)
    }

    /// Lets it put things in order, as git removes its locks.
    fn ask_to_end(&self) {
        let Some(group) = &self.group else { return };
        group.ask_to_end();
        let asked = Instant::now();
        while !self.has_ended() && asked.elapsed() < GRACE {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The status of one that has ended. What it has left behind is let go.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        // From then on its number may belong to another process.
        self.group = None;
        self.child.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = &self.group {
            group.end();
            let _ = self.reap();
        }
    }
}

/// The input and output of a program.
struct Talk<'a> {
    stdin: Option<ChildStdin>,
    unsaid: &'a [u8],
    stdout: Received,
    stderr: Received,
}

impl Talk<'_> {
    fn is_over(&self) -> bool {
        self.stdin.is_none() && self.stdout.pipe.is_none() && self.stderr.pipe.is_none()
    }

    /// Waits for either side to go on, and goes on; whether there was anything to do.
    fn go_on(&mut self, patience: Duration) -> io::Result<bool> {
        let wanted = [
            (self.stdin.as_ref().map(sys::descriptor_of), sys::POLLOUT),
            (self.stdout.descriptor(), sys::POLLIN),
            (self.stderr.descriptor(), sys::POLLIN),
        ];
        let ready @ [stdin, stdout, stderr] = sys::ready(wanted, patience)?;
        if stdin {
            self.say();
        }
        if stdout {
            self.stdout.listen()?;
        }
        if stderr {
            self.stderr.listen()?;
        }
        Ok(ready.contains(&true))
    }

    fn say(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        // No more than what there is room for, for sure.
        let part = &self.unsaid[..self.unsaid.len().min(sys::ROOM)];
        match stdin.write(part) {
            Ok(written) if written < self.unsaid.len() => self.unsaid = &self.unsaid[written..],
            // All is written, or the program does not read it.
            Ok(_) | Err(_) => self.stdin = None,
        }
    }
}

/// The output of a pipe.
struct Received {
    /// `None` once the other side has closed it.
    pipe: Option<PipeReader>,
    bytes: Vec<u8>,
    kept: Kept,
    is_cut_off: bool,
}

impl Received {
    fn new(pipe: Option<PipeReader>, kept: Kept) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            kept,
            is_cut_off: false,
        }
    }

    fn descriptor(&self) -> Option<sys::Descriptor> {
        self.pipe.as_ref().map(sys::descriptor_of)
    }

    fn listen(&mut self) -> io::Result<()> {
        let mut block = [0; BLOCK];
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        match pipe.read(&mut block) {
            Ok(0) => self.pipe = None,
            Ok(read) => self.keep(&block[..read]),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
        Ok(())
    }

    fn into_bytes(mut self) -> Vec<u8> {
        let excess = self.bytes.len().saturating_sub(self.kept.limit);
        self.bytes.drain(..excess);
        self.bytes
    }

    fn keep(&mut self, said: &[u8]) {
        let Kept { limit, is_end } = self.kept;
        let excess = (self.bytes.len() + said.len()).saturating_sub(limit);
        self.is_cut_off |= excess > 0;
        if is_end {
            self.bytes.extend_from_slice(said);
            // Not each time: all that is kept moves.
            if self.bytes.len() > limit.saturating_mul(2) {
                self.bytes.drain(..self.bytes.len() - limit);
            }
        } else {
            self.bytes.extend_from_slice(&said[..said.len().saturating_sub(excess)]);
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
