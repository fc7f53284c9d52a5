//! Tests of the script, run as a process.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::{fs, thread};

use hookkit_protocol::event::event;
use tempfile::TempDir;

use super::*;
use crate::soak;

/// A hook that writes its arguments to stderr and its stdin to stdout. It starts differently from the script.
const PROGRAM: &str = "#!/usr/bin/env sh\nprintf '%s,' \"$@\" >&2\ncat\nexit 2\n";

/// Shells that may be `sh` on some systems.
const SHELLS: &[&str] = &["sh", "dash", "bash", "zsh", "mksh", "yash"];

/// A folder with a hook that is off.
struct Folder(TempDir);

impl Folder {
    fn new(pause: &Pause) -> Result<Self> {
        let folder = Self(test_support::folder());
        let script = pause.script("guard", &[event("PreToolUse").context("an event")?])?;
        folder.write("guard", &script)?;
        folder.write("guard.paused", PROGRAM)?;
        Ok(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.path(name), text)?;
        Ok(fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755))?)
    }

    /// Runs the hook in a shell.
    fn run(&self, shell: &str, payload: &[u8]) -> Result<Output> {
        let mut command = Command::new(shell);
        command.arg(self.path("guard")).args(["one", "two words"]);
        self.run_as(&mut command, payload)
    }

    fn run_as(&self, command: &mut Command, payload: &[u8]) -> Result<Output> {
        let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = streams.spawn()?;
        let mut stdin = child.stdin.take().context("a pipe")?;
        let payload = payload.to_owned();
        // Writing to a pipe that is closed early is an error.
        let written = thread::spawn(move || stdin.write_all(&payload));
        let output = child.wait_with_output()?;
        written.join().expect("it does not panic")?;
        Ok(output)
    }

    /// Checks that the program ran on a payload and is in place again.
    fn ensure_restored(&self, output: &Output, payload: &[u8]) -> Result<()> {
        ensure!(fs::read_to_string(self.path("guard"))? == PROGRAM);
        ensure!(!self.path("guard.paused").exists());
        ensure_ran(output, payload)
    }
}

/// Checks that only the program answered.
fn ensure_ran(output: &Output, payload: &[u8]) -> Result<()> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(2), "{:?}: {stderr}", output.status);
    let (found, expected) = (output.stdout.len(), payload.len());
    ensure!(output.stdout == payload, "{found} bytes of {expected}");
    ensure!(stderr == "one,two words,", "{stderr}");
    Ok(())
}

/// Returns the installed shells, each under only one of its names.
fn shells() -> impl Iterator<Item = &'static str> {
    let mut known = BTreeSet::new();
    let mut is_new = move |shell: &&str| fs::canonicalize(format!("/bin/{shell}")).is_ok_and(|path| known.insert(path));
    SHELLS.iter().copied().filter(move |shell| is_new(shell))
}

/// Returns a payload as the client writes it.
fn payload(tool: &str, input: &str) -> String {
    format!(
        r#"{{"session_id":"x","cwd":"/a \"tool_input\":{{\"command\":\"rm\"","effort":{{"level":"high"}},"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input},"tool_use_id":"toolu_1"}}
"#
    )
}

fn off() -> Pause {
    Pause::new(Duration::from_secs(600), None)
}

/// Returns a pause that has just ended.
fn over() -> Pause {
    let until = now();
    Pause { until, line: None }
}

fn once(line: &str) -> Pause {
    Pause::new(Duration::from_secs(600), Some(line))
}

const LARGE: usize = 5 << 20;

#[test]
fn before_its_end_every_call_goes_through_with_a_message() -> Result<()> {
    for shell in shells() {
        let folder = Folder::new(&off())?;
        for payload in [String::new(), payload("Bash", "{}"), "x".repeat(LARGE)] {
            let output = folder.run(shell, payload.as_bytes())?;
            let stdout = String::from_utf8(output.stdout)?;
            let expected = "{\"systemMessage\":\"guard is off for 10 more min, and did not check this. To turn it on: \
                            cargo xtask on guard\"}\n";
            assert_eq!((output.status.code(), &*stdout), (Some(0), expected), "{shell}");
            assert!(output.stderr.is_empty() && folder.path("guard.paused").exists());
        }
    }
    Ok(())
}

#[test]
fn on_an_event_without_messages_nothing_is_printed() -> Result<()> {
    let folder = Folder::new(&off())?;
    let events = ["PreToolUse", "PreCompact"].map(|name| event(name).expect("an event"));
    folder.write("guard", &off().script("guard", &events)?)?;
    let output = folder.run("sh", b"{}")?;
    assert_eq!((output.status.code(), output.stdout), (Some(0), Vec::new()));
    Ok(())
}

#[test]
fn after_its_end_the_program_is_back_and_runs_on_the_same_stdin() -> Result<()> {
    let large = "\u{e9}\u{101}\u{1f980}\\x81 ".repeat(LARGE / 16) + "\n\n";
    let mut over = [off(), once("rm")];
    (over[0].until, over[1].until) = (now() - 1, now());
    // The clock was an hour ahead when the hook was turned off, and is correct again.
    let ahead = Pause::new(LONGEST + Duration::from_secs(60), None);
    for shell in shells() {
        for pause in over.iter().chain([&ahead]) {
            for payload in ["", "{}\n", &large] {
                let folder = Folder::new(pause)?;
                let output = folder.run(shell, payload.as_bytes())?;
                folder.ensure_restored(&output, payload.as_bytes()).context(shell)?;
            }
        }
    }
    Ok(())
}

#[test]
fn the_kernel_starts_it_as_the_client_does() -> Result<()> {
    let folder = Folder::new(&over())?;
    // The file may still be open for writing in another test's child process that is just being started.
    let output = folder.run("sh", b"{}").and_then(|_| {
        let mut command = Command::new(folder.path("guard"));
        folder.run_as(command.args(["one", "two words"]), b"{}")
    })?;
    folder.ensure_restored(&output, b"{}")
}

#[test]
fn without_its_program_it_is_a_failure_that_blocks() -> Result<()> {
    for shell in shells() {
        for pause in [off(), once("rm"), over()] {
            let folder = Folder::new(&pause)?;
            fs::remove_file(folder.path("guard.paused"))?;
            let output = folder.run(shell, payload("Bash", r#"{"command":"rm"}"#).as_bytes());
            // It does not read stdin.
            let Ok(output) = output else { continue };
            let stderr = String::from_utf8(output.stderr)?;
            assert_eq!(output.status.code(), Some(2), "{shell}: {stderr}");
            assert!(stderr.contains("guard.paused is missing") && stderr.contains("cargo xtask install"));
        }
    }
    Ok(())
}

#[test]
fn without_the_tools_of_a_system_the_program_runs() -> Result<()> {
    let folder = Folder::new(&off())?;
    // It reads the payload, which otherwise would have no reader.
    folder.write("guard.paused", "#!/bin/sh\nread -r _\nexit 2\n")?;
    let mut command = Command::new("/bin/sh");
    command.arg(folder.path("guard")).env("PATH", "/nowhere");
    let output = folder.run_as(&mut command, b"{}")?;
    assert_eq!((output.status.code(), output.stderr), (Some(2), Vec::new()));
    Ok(())
}

#[test]
fn of_several_processes_at_its_end_each_runs_the_program() -> Result<()> {
    for round in soak::rounds(10, 200) {
        let (folder, payload) = (Folder::new(&over())?, payload("Bash", r#"{"command":"rm"}"#));
        thread::scope(|scope| {
            let run = || folder.run("sh", payload.as_bytes());
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            runs.into_iter().try_for_each(|run| {
                let output = run.join().expect("it does not panic")?;
                folder.ensure_restored(&output, payload.as_bytes())
            })
        })
        .with_context(|| format!("round {round}"))?;
    }
    Ok(())
}

#[test]
fn the_command_goes_through_once_and_the_program_is_back() -> Result<()> {
    for shell in shells() {
        for line in test_support::lines!("lines/pause.txt").section("lines").lines() {
            let folder = Folder::new(&once(line))?;
            let command = serde_json::to_string(line)?;
            for input in
                [format!("{{\"command\":{command}}}"), format!("{{\"command\":{command},\"description\":\"x\"}}")]
            {
                folder.write("guard", &once(line).script("guard", &[])?)?;
                folder.write("guard.paused", PROGRAM)?;
                let payload = payload("Bash", &input);
                let output = folder.run(shell, payload.as_bytes())?;
                let stdout = String::from_utf8(output.stdout)?;
                let ended = (output.status.code(), output.stderr.len());
                assert_eq!(ended, (Some(0), 0), "{shell}: {payload}");
                assert!(stdout.starts_with("{\"systemMessage\":\"guard let this command through once, because of "));
                let again = folder.run(shell, payload.as_bytes())?;
                folder.ensure_restored(&again, payload.as_bytes()).context(payload)?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_other_call_is_answered_by_the_program() -> Result<()> {
    let line = "git push --force";
    let lines = test_support::lines!("lines/pause.txt");
    let others = lines.section("other calls").rows.iter().map(|row| payload(&row.expected[0], &row.line));
    let others: Vec<String> = others
        .chain([
            payload("Bash", r#"{"command":"git push --force"}"#).replace("PreToolUse", "PostToolUse"),
            format!("{{\"prompt\":\"{}\"}}\n\n", "\u{101}".repeat(LARGE / 2)),
            String::new(),
        ])
        .collect();
    for shell in shells() {
        let folder = Folder::new(&once(line))?;
        for payload in &others {
            let output = folder.run(shell, payload.as_bytes())?;
            ensure_ran(&output, payload.as_bytes()).with_context(|| format!("{shell}: {payload:.300}"))?;
            assert!(folder.path("guard.paused").exists(), "{payload}");
        }
    }
    Ok(())
}

#[test]
fn of_several_calls_at_a_time_one_goes_through() -> Result<()> {
    for _ in soak::rounds(10, 200) {
        let (folder, payload) = (Folder::new(&once("rm"))?, payload("Bash", r#"{"command":"rm"}"#));
        let codes: Result<Vec<Option<i32>>> = thread::scope(|scope| {
            let run = || folder.run("sh", payload.as_bytes());
            let runs: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
            let ended = runs.into_iter().map(|run| run.join().expect("it does not panic"));
            ended.map(|output| Ok(output?.status.code())).collect()
        });
        let mut codes = codes?;
        codes.sort_unstable();
        assert_eq!(codes, [Some(0), Some(2), Some(2), Some(2)]);
        assert_eq!(fs::read_to_string(folder.path("guard"))?, PROGRAM);
    }
    Ok(())
}

#[test]
fn the_longest_time_is_that_of_the_script() {
    assert!(SCRIPT.contains(&format!("now + {}", LONGEST.as_secs())));
}
