//! The pack `faults-hooks`: hooks that fail in every way we found, installed in a project.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use hookkit::OnFailure;
use hookkit::protocol::event::{Event, event};
use hookkit::testing::{Action, End, Ran, Verdict};
use test_support::lines;

use crate::xtask::{installed, payload};
use crate::{Project, workspace};

/// The report of a hook without memory, by hookkit's own handler. If that is not linked, the standard library's aborts.
const NO_MEMORY: &str = "it ran out of memory";

/// Returns the faults of a handler, each with the first words that the hook reports.
pub fn in_the_handler() -> Vec<(String, String)> {
    let table = lines!("lines/faults.txt");
    let rows = table.section("in the handler").rows.iter();
    rows.map(|row| (row.expected.concat(), row.line.clone())).collect()
}

/// Events whose action a hook can deny, by a recorded payload of each.
pub const REFUSABLE: &[&str] = &[
    "PreToolUse-Bash", "PermissionRequest-Bash", "UserPromptSubmit", "Stop", "PreCompact-manual", "TaskCreated",
    "ConfigChange-user_settings",
];

/// Events whose action a hook cannot deny, by a recorded payload of each.
pub const OBSERVED: &[&str] = &["PostToolUse-Bash", "SessionStart-startup"];

/// Returns the project that the hooks with faults are installed in.
///
/// # Errors
///
/// If they cannot be built.
pub fn project() -> Result<&'static Project> {
    workspace::installed("faults-hooks")
}

/// Returns a hook as the client starts it: the leader of a process group of its own. `fault` is its failure.
///
/// # Errors
///
/// If there is no such hook.
pub fn hook(name: &str, fault: &str, folder: &Path) -> Result<Command> {
    let mut command = Command::new(installed(project()?.path(), name)?);
    command.current_dir(folder).env("FAULT", fault).process_group(0);
    Ok(piped(command))
}

fn piped(mut command: Command) -> Command {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A hook that fails, on one event.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// The name of the hook.
    pub hook: &'static str,
    /// The policy that its author chose.
    pub policy: OnFailure,
    /// The recorded payload of the event.
    pub recorded: &'static str,
}

/// Returns every hook, on each of its events.
pub fn cells() -> impl Iterator<Item = Cell> {
    let of = |hook, policy, events: &'static [&'static str]| {
        events.iter().map(move |recorded| Cell { hook, policy, recorded })
    };
    let strict = of("strict", OnFailure::Block, REFUSABLE);
    let lenient = of("lenient", OnFailure::Continue, REFUSABLE);
    let cautious = of("cautious", OnFailure::Ask, &["PreToolUse-Bash"]);
    let asked = of("asked", OnFailure::Continue, &["PermissionRequest-Bash"]);
    let observer = of("observer", OnFailure::Continue, OBSERVED);
    strict.chain(lenient).chain(cautious).chain(asked).chain(observer)
}

/// Checks that a fault of the handler ends in the hook's policy, is reported with these words, and leaves no process.
///
/// # Errors
///
/// If it is otherwise.
pub fn fails_as_declared(cell: Cell, fault: &str, message: &str) -> Result<()> {
    let Cell { hook, policy, recorded } = cell;
    let folder = test_support::folder();
    let (event, text) = self::recorded(recorded, folder.path())?;
    let output = output(self::hook(hook, fault, folder.path())?, text.as_bytes())?;
    let cell = || format!("{fault}, {hook}, {}", event.name);
    let line = held(event, policy, &output).with_context(cell)?;
    let message = match message {
        NO_MEMORY if !has_own_handlers(hook)? => "it aborted (SIGABRT)",
        message => message,
    };
    let expected = format!("hookkit: hook `{hook}` failed: {message}");
    ensure!(line.starts_with(&expected), "{}: {line}", cell());
    for started in ["child", "grandchild"] {
        if let Ok(process) = fs::read_to_string(folder.path().join(started)) {
            ensure!(ends(&process), "{}: its {started} {process} is left", cell());
        }
    }
    Ok(())
}

/// Returns `true` if hookkit's own handlers are in a hook. The test of the linkage shows where they have to be.
fn has_own_handlers(hook: &str) -> Result<bool> {
    let binary = fs::read(installed(project()?.path(), hook)?)?;
    Ok(binary.windows(NO_MEMORY.len()).any(|text| text == NO_MEMORY.as_bytes()))
}

/// Runs a hook with a fault on PreToolUse, in a folder. Returns the event, and the process's result.
///
/// # Errors
///
/// If it cannot be started.
pub fn run(name: &str, fault: &str, folder: &Path) -> Result<(&'static Event, Output)> {
    let (event, text) = recorded("PreToolUse-Bash", folder)?;
    Ok((event, output(hook(name, fault, folder)?, text.as_bytes())?))
}

/// Runs a process whose streams are pipes, with these bytes on stdin.
///
/// # Errors
///
/// If it cannot be started.
pub fn run_piped(command: Command, stdin: &[u8]) -> Result<Output> {
    output(piped(command), stdin)
}

/// Runs a process with its own streams, and these bytes on stdin where that is a pipe.
///
/// # Errors
///
/// If it cannot be started.
pub fn output(mut command: Command, stdin: &[u8]) -> Result<Output> {
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        // A hook may end before it has read everything.
        let _ = pipe.write_all(stdin);
    }
    Ok(child.wait_with_output()?)
}

/// Checks that both streams and the exit code are the policy's; returns the last line of stderr.
///
/// # Errors
///
/// If they are not.
pub fn held(event: &Event, policy: OnFailure, output: &Output) -> Result<String> {
    let stderr = String::from_utf8(output.stderr.clone())?;
    let code = output.status.code();
    let line = stderr.lines().last().unwrap_or_default().to_owned();
    let end = code.map_or(End::Killed, End::Exited);
    let ran = Ran::ended(end).stdout(output.stdout.clone()).stderr(stderr.clone());
    let verdict = Verdict::of(event, &ran);
    match policy {
        OnFailure::Block => {
            let is_denied = matches!(verdict.action, Action::Denied | Action::KeepsGoing) || verdict.ends_turn;
            ensure!(code == Some(2) && is_denied, "{code:?} {stderr}{verdict}");
        }
        OnFailure::Ask => {
            // The same with `onFailure: "block"` in the settings.
            let strict = Verdict::of(event, &ran.blocks_in_settings(true));
            let is_asked = [&verdict, &strict].map(|verdict| verdict.action == Action::Asked);
            let holds = code == Some(0) && is_asked == [true; 2];
            ensure!(holds, "{code:?} {stderr}{verdict}{strict}");
        }
        OnFailure::Continue => {
            let is_silent = output.stdout.is_empty() && matches!(verdict.action, Action::GoesOn | Action::LeftToUser);
            ensure!(code == Some(1) && is_silent, "{code:?} {stderr}{verdict}");
        }
    }
    Ok(line)
}

/// Returns the event of a recorded payload, with `folder` as the working directory.
///
/// # Errors
///
/// If there is no such recording.
pub fn recorded(name: &str, folder: &Path) -> Result<(&'static Event, String)> {
    let folder = folder.to_str().context("a UTF-8 path")?;
    let text = payload(name)?.replace("/home/user/project", folder);
    let named = name.split('-').next().and_then(event).context("it is an event")?;
    Ok((named, text))
}

/// Waits up to five seconds for a process to end; returns `true` if it has.
pub fn ends(process: &str) -> bool {
    (0..500).any(|_| {
        thread::sleep(Duration::from_millis(10));
        !is_running(process.trim())
    })
}

fn is_running(process: &str) -> bool {
    // A zombie has ended: only its parent has not collected it yet.
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}
