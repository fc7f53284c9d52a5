//! xtask and the hooks that it builds, as processes.

use std::ffi::OsString;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, mem, thread};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;

use crate::workspace::fixture;

/// Returns the root of hookkit's own repository.
///
/// cargo reports the package's folder to the programs that it runs. The path is not compiled in, so that a copy of the
/// target folder works in a copy of the repository.
pub fn repository() -> &'static Path {
    static REPOSITORY: OnceLock<PathBuf> = OnceLock::new();
    REPOSITORY.get_or_init(|| {
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        // Tests run in the package's folder, without cargo, too.
        let package = package.unwrap_or_else(|| env::current_dir().expect("there is a current folder"));
        package.parent().map_or_else(|| package.clone(), Path::to_owned)
    })
}

/// Returns the cargo that runs this program, or else the one of the search path.
pub fn cargo_program() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns a recorded payload of the client, on one line as the client sends it.
///
/// # Errors
///
/// If there is no such recording.
pub fn payload(name: &str) -> Result<String> {
    let path = format!("tests/fixtures/payloads/{name}.json");
    let text = fs::read_to_string(repository().join(&path)).with_context(|| format!("reading {path}"))?;
    let value: Value = serde_json::from_str(&text)?;
    Ok(format!("{value}\n"))
}

/// Runs xtask in `folder`, as `cargo xtask` does. Lines about work that takes long are not in its stderr.
///
/// # Errors
///
/// If it cannot be built or started; its own errors are in the output.
pub fn xtask(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let output = command(folder, arguments)?.output().context("xtask could not be run")?;
    let stderr = match str::from_utf8(&output.stderr) {
        Ok(stderr) => without_progress(stderr).into_bytes(),
        Err(_) => output.stderr,
    };
    Ok(Output { stderr, ..output })
}

/// The variable that makes cargo omit debug information, a third of the time of a build that is not optimized.
pub const UNDEBUGGED: (&str, &str) = ("CARGO_PROFILE_DEV_DEBUG", "false");

/// The arguments that make cargo run xtask from the sources of this repository. For the package `hookkit-xtask` alone,
/// cargo would recompile all of it with fewer features; the workspaces of other tests do.
pub const RUN_XTASK: [&str; 6] = ["run", "--quiet", "--package", "hookkit-tests", "--bin", "tested-xtask"];

/// Returns the command that [`xtask`] runs, for a test that changes its environment.
///
/// # Errors
///
/// If xtask cannot be built.
pub fn command(folder: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(binary()?);
    command
        .args(arguments)
        .args(yes(arguments))
        .current_dir(folder)
        .env("XDG_STATE_HOME", state())
        // A session around the tests is ignored, and the sources are this repository's.
        .env("HOOKKIT_TESTS", repository().join("xtask"))
        .envs([UNDEBUGGED])
        // Repositories of tests are files, which cargo does not read offline.
        .env_remove("CARGO_NET_OFFLINE")
        .env_remove("CARGO_TARGET_DIR")
        // As of the xtask of the workspace around, which `cargo run` has started.
        .env("CARGO_MANIFEST_DIR", folder);
    for name in ["CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "NO_COLOR"] {
        command.env_remove(name);
    }
    Ok(command)
}

/// Returns the option that lets a script run a command for a person: the tests have no terminal.
pub(crate) fn yes(arguments: &[&str]) -> Option<&'static str> {
    matches!(arguments, ["uninstall", ..]).then_some("--yes")
}

/// Returns the stderr of a run without the lines about long work: another test may hold the workspace, and the machine
/// may be slow.
pub fn without_progress(stderr: &str) -> String {
    let is_progress = |line: &&str| {
        ["Asking ", "Building ", "Fetching ", "Running ", "Waiting "].iter().any(|verb| line.starts_with(verb))
    };
    stderr.split_inclusive('\n').filter(|line| !is_progress(line)).collect()
}

/// Returns the folder of xtask's notes. It stays, like the projects whose hooks are installed once.
fn state() -> PathBuf {
    repository().join("target/tests/state")
}

/// A process that has to end with an exit code.
pub trait Ends {
    /// Returns its stdout and its stderr, without the lines about work that takes long.
    ///
    /// # Errors
    ///
    /// If it ends in another way.
    fn both(&mut self, exit_code: i32) -> Result<[String; 2]>;

    /// Returns its stdout.
    ///
    /// # Errors
    ///
    /// If it ends in another way.
    fn out(&mut self, exit_code: i32) -> Result<String> {
        self.both(exit_code).map(|[stdout, _]| stdout)
    }

    /// Returns its stderr.
    ///
    /// # Errors
    ///
    /// If it ends in another way.
    fn err(&mut self, exit_code: i32) -> Result<String> {
        self.both(exit_code).map(|[_, stderr]| stderr)
    }
}

impl Ends for Output {
    fn both(&mut self, exit_code: i32) -> Result<[String; 2]> {
        let [stdout, stderr] = [&mut self.stdout, &mut self.stderr].map(|bytes| String::from_utf8(mem::take(bytes)));
        let (stdout, stderr) = (stdout?, stderr?);
        ensure!(self.status.code() == Some(exit_code), "{}: {stdout}{stderr}", self.status);
        Ok([stdout, without_progress(&stderr)])
    }
}

impl Ends for Command {
    fn both(&mut self, exit_code: i32) -> Result<[String; 2]> {
        let ended = self.output()?.both(exit_code);
        ended.map_err(|err| anyhow!("{self:?}: {err}"))
    }
}

/// Runs xtask in `folder`; its stdout.
///
/// # Errors
///
/// If it fails, too.
pub fn xtask_ok(folder: &Path, arguments: &[&str]) -> Result<String> {
    command(folder, arguments)?.out(0)
}

/// Runs xtask in `folder`, which must refuse with exit code 2; its stderr.
///
/// # Errors
///
/// If it ends in another way.
pub fn refused(folder: &Path, arguments: &[&str]) -> Result<String> {
    command(folder, arguments)?.err(2)
}

/// Returns the values of a text with one in each line.
///
/// # Errors
///
/// If a line is not JSON.
pub fn rows(printed: &str) -> Result<Vec<Value>> {
    Ok(printed.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Returns the binary `tested-xtask` of this package. cargo builds it with the tests, next to the folder of their own
/// binaries; `cargo dev figures` has it next to its own.
fn binary() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.parent().context("a program is in a folder")?;
    let built = folder.parent().filter(|_| folder.ends_with("deps")).unwrap_or(folder);
    let binary = built.join("tested-xtask");
    ensure!(
        binary.is_file(),
        "{} is missing; build it, in the same profile: cargo build -p hookkit-tests --bin tested-xtask",
        binary.display()
    );
    Ok(binary)
}

/// Runs xtask in the workspace of the fixtures, with `user` as the folder of the user's settings; returns its stdout.
///
/// # Errors
///
/// If it fails, with its stderr.
pub fn as_user(user: &Path, arguments: &[&str]) -> Result<String> {
    command(fixture()?, arguments)?.env("CLAUDE_CONFIG_DIR", user).out(0)
}

/// Returns the findings in the output of `doctor --json`.
///
/// # Errors
///
/// If a line is not JSON.
pub fn findings(output: &Output) -> Result<Vec<Value>> {
    let rows = rows(str::from_utf8(&output.stdout)?)?;
    Ok(rows.into_iter().filter(|row| row["kind"] == "finding").collect())
}

/// Returns the handlers of a hook in a settings file.
///
/// # Errors
///
/// If it cannot be read.
pub fn handlers(file: &Path, hook: &str) -> Result<Vec<Value>> {
    let settings: Value = serde_json::from_slice(&fs::read(file)?)?;
    let lists = settings["hooks"].as_object().into_iter().flat_map(|hooks| hooks.values());
    let groups = lists.flat_map(|list| list.as_array().into_iter().flatten());
    let handlers = groups.map(|group| group["hooks"][0].clone());
    let is_this = |handler: &Value| {
        let command = handler["command"].as_str().unwrap_or_default();
        command.rsplit('/').next() == Some(hook)
    };
    Ok(handlers.filter(is_this).collect())
}

/// Returns a path as an argument.
///
/// # Errors
///
/// If it is not UTF-8.
pub fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a UTF-8 path")
}

/// Returns a hook's binary, as `install` put it into a project.
///
/// # Errors
///
/// If it is not there.
pub fn installed(project: &Path, hook: &str) -> Result<PathBuf> {
    let places = fs::read_dir(project.join(".claude/hookkit"))?;
    let mut binaries = places.filter_map(|place| Some(place.ok()?.path().join("bin").join(hook)));
    binaries.find(|binary| binary.is_file()).with_context(|| format!("`{hook}` is not installed"))
}

/// Returns `true` if the binary of an installed hook has a text.
///
/// # Errors
///
/// If it is not there.
pub fn binary_has(project: &Path, hook: &str, text: &str) -> Result<bool> {
    let binary = fs::read(installed(project, hook)?)?;
    Ok(memchr::memmem::find(&binary, text.as_bytes()).is_some())
}

/// Returns the path of the record of a workspace's hooks in a project: a note of this machine.
///
/// # Errors
///
/// If there is none.
pub fn record(project: &Path, workspace: &str) -> Result<PathBuf> {
    let claude = project.join(".claude");
    let is_of_project = |place: &PathBuf| {
        let created = fs::read(place.join("created.json")).unwrap_or_default();
        let created: Value = serde_json::from_slice(&created).unwrap_or_default();
        created["path"].as_str().is_some_and(|path| claude == Path::new(path))
    };
    let places = fs::read_dir(state().join("hookkit/places"))?;
    let mut places = places.filter_map(|place| Some(place.ok()?.path()));
    let place = places.find(is_of_project).context("hooks are installed there")?;
    Ok(place.join(format!("record-{workspace}.json")))
}

/// The output of a hook process.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// Text for the client.
    pub stdout: String,
    /// Text for the client's log, or for the reader of a failure.
    pub stderr: String,
    /// The exit code; `None` where a signal ended the process.
    pub exit_code: Option<i32>,
}

/// Runs a hook's binary on `stdin`, as the client does.
///
/// # Errors
///
/// If it cannot be started.
pub fn run_hook(binary: &Path, stdin: &[u8]) -> Result<Answer> {
    let mut child = Command::new(binary)
        .env("RUST_BACKTRACE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{} could not be started", binary.display()))?;
    // A hook that ends without reading everything is not a fault of the test.
    let _ = child.stdin.take().context("it has a stdin")?.write_all(stdin);
    let output = child.wait_with_output()?;
    Ok(Answer {
        stdout: String::from_utf8(output.stdout)?,
        stderr: String::from_utf8(output.stderr)?,
        exit_code: output.status.code(),
    })
}

/// Runs a hook that is installed in a project.
///
/// # Errors
///
/// If it is not there.
pub fn run_installed(project: &Path, hook: &str, stdin: &str) -> Result<Answer> {
    run_hook(&installed(project, hook)?, stdin.as_bytes())
}

/// Returns a recorded call of a tool, with other members of its input.
///
/// # Errors
///
/// If there is no such recording.
pub fn call_with(recorded: &str, input: &Value) -> Result<String> {
    let mut call: Value = serde_json::from_str(&payload(recorded)?)?;
    for (name, value) in input.as_object().into_iter().flatten() {
        call["tool_input"][name] = value.clone();
    }
    Ok(call.to_string())
}

/// Returns the number of instructions that a program executes, with `stdin`; `None` without valgrind.
///
/// # Errors
///
/// If valgrind counts nothing.
pub fn instructions(program: &Path, stdin: &Path) -> Result<Option<u64>> {
    // The C library reads the letters of a program's path, and a hook the variables up to its own: all are given the same.
    let program_here = stdin.with_file_name("program");
    fs::copy(program, &program_here)?;
    let counted = Command::new("valgrind")
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program_here)
        .stdin(fs::File::open(stdin)?)
        .stdout(Stdio::null())
        .output();
    let Ok(counted) = counted else { return Ok(None) };
    let text = String::from_utf8_lossy(&counted.stderr);
    let count = text.lines().find_map(|line| line.split_once("Collected : "));
    let (_, count) = count.with_context(|| format!("valgrind counted nothing: {text}"))?;
    Ok(Some(count.trim().parse()?))
}

/// Runs a command whose stdin stays open and empty.
///
/// # Errors
///
/// If it is not done within `limit`: it is ended then.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Output> {
    // Files, so that no reader is waited for.
    let [mut stdout, mut stderr] = [tempfile::tempfile()?, tempfile::tempfile()?];
    let mut child = command.stdin(Stdio::piped()).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?).spawn()?;
    // `try_wait` leaves it open.
    let _stdin = child.stdin.take();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!("{command:?} takes longer than {} s", limit.as_secs());
        }
        thread::sleep(Duration::from_millis(10));
    };
    let read = |file: &mut fs::File| -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(Output { status, stdout: read(&mut stdout)?, stderr: read(&mut stderr)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ends_in_another_way_is_an_error_with_what_it_printed() -> Result<()> {
        let shell = |line: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", line]);
            shell
        };
        assert_eq!(shell("echo a; echo b >&2; exit 3").both(3)?, ["a\n", "b\n"]);
        for line in ["echo a; echo b >&2; exit 3", "echo a; echo b >&2; kill -9 $$"] {
            let message = shell(line).out(0).expect_err("not 0").to_string();
            assert!(message.ends_with(": a\nb\n"), "{message}");
        }
        Ok(())
    }
}
