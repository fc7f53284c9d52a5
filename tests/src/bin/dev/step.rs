//! The commands that a task consists of: how they are shown, run and timed.

use std::fmt;
use std::io::{self, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result};
use hookkit_tests::xtask::repository;
use wait4::Wait4;

/// One command of a task, run in the root of the repository.
///
/// Its `Display` is the command as it can be typed into a shell there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    variables: Vec<(&'static str, String)>,
    words: Vec<String>,
    needs: Option<Box<Step>>,
}

impl Step {
    /// Creates a step from a command whose words have no blanks or quotes.
    pub(crate) fn new(command: &str) -> Self {
        Self { variables: Vec::new(), words: command.split_whitespace().map(str::to_owned).collect(), needs: None }
    }

    /// Sets an environment variable for the command.
    pub(crate) fn with(mut self, variable: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((variable, value.into()));
        self
    }

    /// Skips the step where the command `needs` fails.
    pub(crate) fn if_succeeds(mut self, needs: &str) -> Self {
        self.needs = Some(Box::new(Self::new(needs)));
        self
    }

    /// Runs the command, and returns the CPU time that it took; its error is [`Failed`] where the command itself fails.
    fn run(&self) -> Result<Duration> {
        self.run_as(&mut self.command())
    }

    /// Runs the command as [`run`](Self::run) does, and prints its output when it is done, with `head` above it. One output
    /// is printed at a time.
    fn run_aside(&self, head: &str) -> Result<()> {
        static PRINTING: Mutex<()> = Mutex::new(());

        let mut printed = tempfile::tempfile().context("no temporary file")?;
        let mut command = self.command();
        command.stdout(printed.try_clone()?).stderr(printed.try_clone()?);
        let start = Instant::now();
        let done = self.run_as(&mut command);
        printed.rewind()?;
        let _printing = PRINTING.lock().expect("no step panics");
        eprintln!("{head} {self}");
        io::copy(&mut printed, &mut io::stderr())?;
        eprintln!("{head} {}", outcome(start, &done));
        done.map(drop)
    }

    fn run_as(&self, command: &mut Command) -> Result<Duration> {
        let ended = command.spawn().and_then(|mut child| child.wait4());
        let ended = ended.with_context(|| format!("cannot start `{}`", self.words.join(" ")))?;
        if ended.status.success() {
            return Ok(ended.rusage.utime + ended.rusage.stime);
        }
        Err(Failed::new(self, ended.status).into())
    }

    /// Returns `true` if the command that it needs fails, and prints so with `head` above it.
    fn is_skipped(&self, head: &str) -> bool {
        let failed = self.needs.as_ref().filter(|needed| !needed.succeeds().unwrap_or(false));
        if let Some(needed) = failed {
            eprintln!("{head} skipped: `{needed}` failed");
        }
        failed.is_some()
    }

    /// Runs the command for its exit code; its stderr stays visible, as the reason of a failure.
    pub(crate) fn succeeds(&self) -> io::Result<bool> {
        Ok(self.command().stdout(Stdio::null()).status()?.success())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).current_dir(repository());
        // No step asks a question; with a terminal, a test must do the same as in CI.
        command.stdin(Stdio::null());
        // `cargo run` has set these for this program. An inner cargo would pass on `CARGO`, although it may be another
        // release, and would rebuild crates whose build scripts watch the others.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            let quote = if value.contains(' ') { "'" } else { "" };
            write!(f, "{name}={quote}{value}{quote} ")?;
        }
        f.write_str(&self.words.join(" "))
    }
}

/// A step that failed; the task ends with its exit code.
#[derive(Debug)]
pub(crate) struct Failed {
    command: String,
    status: ExitStatus,
    /// Exit code of the command; if a signal ended it, 128 more than the signal's number, as in a shell.
    pub(crate) code: u8,
}

impl Failed {
    fn new(step: &Step, status: ExitStatus) -> Self {
        let code = status.code().or_else(|| Some(128 + status.signal()?));
        Self { command: step.to_string(), status, code: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1) }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed ({})", self.command, self.status)
    }
}

impl std::error::Error for Failed {}

/// Runs the steps in order, prints each with the time that it took, and stops at the first that fails.
pub(crate) fn run_all(steps: &[Step]) -> Result<()> {
    let whole = Instant::now();
    let mut skipped = 0;
    for (index, step) in steps.iter().enumerate() {
        let number = format!("[{}/{}]", index + 1, steps.len());
        eprintln!("{number} {step}");
        let start = Instant::now();
        if step.is_skipped(&number) {
            skipped += 1;
            continue;
        }
        let done = step.run();
        eprintln!("{number} {}", outcome(start, &done));
        done?;
    }
    let all = steps.len();
    eprintln!("{} of {all} steps ok, {skipped} skipped, in {}", all - skipped, readable(whole.elapsed()));
    Ok(())
}

/// Runs lists of steps side by side, and the steps of a list in order. The output of a step is shown when it is done.
///
/// After a failure no step is started; the running ones are waited for, and the first failure is the error.
pub(crate) fn run_side_by_side(lists: &[Vec<Step>]) -> Result<()> {
    let whole = Instant::now();
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let failed_before = || failed.lock().expect("no step panics");
    thread::scope(|scope| {
        for (list, steps) in lists.iter().enumerate() {
            scope.spawn(move || {
                for (index, step) in steps.iter().enumerate() {
                    if failed_before().is_some() {
                        return;
                    }
                    let head = format!("[{}: {}/{}]", list + 1, index + 1, steps.len());
                    if step.is_skipped(&head) {
                        continue;
                    }
                    eprintln!("{head} started: {step}");
                    if let Err(error) = step.run_aside(&head) {
                        failed_before().get_or_insert(error);
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner()? {
        return Err(error);
    }
    let all: usize = lists.iter().map(Vec::len).sum();
    eprintln!("{all} steps ok, in {}", readable(whole.elapsed()));
    Ok(())
}

/// Describes the end of a step, with its CPU time: the gate has two cores.
fn outcome(start: Instant, done: &Result<Duration>) -> String {
    let after = readable(start.elapsed());
    match done {
        Ok(cpu) => format!("ok after {after}, {:.0} s of CPU", cpu.as_secs_f64()),
        Err(_) => format!("failed after {after}"),
    }
}

/// Formats a duration for people, such as `4.2 s` or `12 min 5 s`.
pub(crate) fn readable(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        return format!("{:.1} s", duration.as_secs_f64());
    }
    format!("{} min {} s", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_shown_as_it_is_typed() {
        let step = Step::new("cargo  doc --quiet").with("A", "1").with("RUSTDOCFLAGS", "--deny warnings");
        assert_eq!(step.to_string(), "A=1 RUSTDOCFLAGS='--deny warnings' cargo doc --quiet");
    }

    #[test]
    fn the_first_failure_ends_the_task_with_its_exit_code() {
        // By POSIX, grep exits with more than 1 if it cannot read a file, and with 1 if no line matches.
        let steps = [Step::new("true"), Step::new("grep -sq x /nonexistent/file"), Step::new("grep -q x /dev/null")];
        let error = run_all(&steps).unwrap_err();
        let failed = error.downcast_ref::<Failed>().unwrap();
        assert!(failed.code > 1, "{failed}");
        let holds = failed.to_string().starts_with("`grep -sq x /nonexistent/file` failed");
        assert!(holds, "{failed}");
    }

    #[test]
    fn lists_run_side_by_side_and_the_first_failure_is_the_error() {
        let folder = test_support::folder();
        let touch = |name: &str| Step::new(&format!("touch {}", folder.path().join(name).display()));
        let fails = Step::new("grep -q x /dev/null");
        run_side_by_side(&[vec![touch("a"), touch("b")], vec![touch("c")]]).unwrap();
        let error = run_side_by_side(&[vec![fails, touch("never")], vec![touch("d")]]).unwrap_err();
        assert_eq!(error.downcast_ref::<Failed>().unwrap().code, 1);
        let is_there = |name: &str| folder.path().join(name).exists();
        assert!(["a", "b", "c"].into_iter().all(is_there) && !is_there("never"));
        // Each opens the pipe, and waits for the other to do so.
        let pipe = folder.path().join("pipe").display().to_string();
        assert!(Step::new(&format!("mkfifo {pipe}")).succeeds().unwrap());
        let [reads, writes] = ["cat", "tee"].map(|program| vec![Step::new(&format!("{program} {pipe}"))]);
        run_side_by_side(&[reads, writes]).unwrap();
    }

    #[test]
    fn a_step_whose_need_fails_is_skipped() {
        run_all(&[Step::new("false").if_succeeds("false")]).unwrap();
        run_side_by_side(&[vec![Step::new("false").if_succeeds("false")]]).unwrap();
        run_all(&[Step::new("false").if_succeeds("no-such-program-of-hookkit")]).unwrap();
        assert!(run_all(&[Step::new("false").if_succeeds("true")]).is_err());
    }

    #[test]
    fn durations_are_readable() {
        for (milliseconds, expected) in
            [(0, "0.0 s"), (59_940, "59.9 s"), (60_000, "1 min 0 s"), (725_999, "12 min 5 s")]
        {
            assert_eq!(readable(Duration::from_millis(milliseconds)), expected);
        }
    }
}
