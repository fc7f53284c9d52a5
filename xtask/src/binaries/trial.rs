//! Runs a hook on a recorded event, as the client does.

#![expect(clippy::disallowed_methods, reason = "the folder is temporary, or chosen by the user")]

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use std::{fmt, thread};

use anyhow::{Context, Result};
use hookkit_protocol::hook::Mode;
use hookkit_protocol::settings::is_unset;
use hookkit_verdict::{Action, End, Message, Ran, Verdict};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::binaries::definition::Definition;
use crate::binaries::sample::Sample;
use crate::disk::files::entries;
use crate::terminal::{one_line, row, separated};

/// The folders of test runs.
#[derive(Default)]
pub(crate) struct Trial {
    /// `HOME` of the hooks, if it is not the user's.
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: PathBuf,
    /// The project for `CLAUDE_PROJECT_DIR`, if it differs from the hooks' current folder.
    pub(crate) named: Option<PathBuf>,
    /// The file for the session's variables, for the events that have one. Hooks write to it.
    env_file: Option<PathBuf>,
    /// `true` if hooks should explain how to avoid a question.
    pub(crate) explains: bool,
}

/// The properties of a hook that a test run needs.
pub(crate) struct Tried<'h> {
    pub(crate) name: &'h str,
    /// Timeout in seconds.
    pub(crate) timeout: Option<f64>,
    pub(crate) mode: Mode,
}

impl<'h> Tried<'h> {
    pub(crate) fn of(hook: &'h Definition) -> Self {
        Self { name: &hook.declared.name, timeout: hook.declared.timeout.map(f64::from), mode: hook.declared.mode }
    }
}

/// Variables with the user's own folders. In a test run, they point into the hooks' own home.
const OF_HOME: [&str; 6] =
    ["HOME", "CLAUDE_CONFIG_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// Default time limit of a hook.
const LIMIT: Duration = Duration::from_secs(60);

impl Trial {
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize()?;
        let (home, project) = (folder.join("home"), folder.join("project"));
        for folder in [&home, &project] {
            fs::create_dir(folder).with_context(|| format!("creating {}", folder.display()))?;
        }
        let env_file = folder.join("variables.sh");
        Ok(Self { home: Some(home), project, env_file: Some(env_file), ..Self::default() })
    }

    /// Creates a trial in the user's project, for the user's own hooks.
    pub(crate) fn within(folder: &Path) -> Result<Self> {
        let project = folder.canonicalize();
        let project = project.with_context(|| format!("{} cannot be a project", folder.display()))?;
        Ok(Self { project, ..Self::default() })
    }

    /// Returns the variables that the client sets for a hook on an event, if they can be computed here.
    pub(crate) fn variables(&self, event: &str) -> impl Iterator<Item = (&'static str, &Path)> {
        let home = self.home.as_deref();
        let home = home.into_iter().flat_map(|home| OF_HOME.map(|name| (name, home)));
        let project = self.named.as_deref().unwrap_or(&self.project);
        let env_file = self.env_file.as_deref().map(|file| ("CLAUDE_ENV_FILE", file));
        home.chain([("CLAUDE_PROJECT_DIR", project)])
            .chain(env_file.filter(|(variable, _)| !is_unset(variable, Some(event))))
    }

    /// Returns the commands that the last hook wrote to the file for the session's variables.
    pub(crate) fn exported(&self) -> String {
        self.env_file.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default()
    }

    /// Runs a hook as the client does. Returns the result and the duration.
    pub(crate) fn run(&self, hook: &Tried<'_>, binary: &Path, sample: &Sample) -> Result<(Ran, Duration)> {
        if let Some(file) = &self.env_file {
            // Each hook has its own file.
            fs::write(file, "")?;
        }
        let mut command = Command::new(binary);
        command
            .current_dir(&self.project)
            .envs(self.variables(sample.event.name))
            // An installed hook may record and audit its runs, but this run belongs to no session.
            .env("HOOKKIT_RECORD", "off")
            .arg("--trial")
            .envs(self.explains.then_some(("HOOKKIT_EXPLAIN", "1")))
            .process_group(0);
        run_prepared(command, hook, sample, (tempfile::tempfile()?, tempfile::tempfile()?))
    }
}

/// Runs a command as the client runs a hook, as a process group leader. Returns the result and the duration.
///
/// The streams are files, not pipes, so that a process left running by the hook does not block reading.
pub(crate) fn run_prepared(
    mut command: Command,
    hook: &Tried<'_>,
    sample: &Sample,
    (stdout, stderr): (File, File),
) -> Result<(Ran, Duration)> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?)
        .spawn()
        .with_context(|| format!("{} could not be started", hook.name))?;
    let mut stdin = child.stdin.take();
    let payload = sample.payload.clone();
    thread::spawn(move || {
        // A hook may not read all of it.
        let _ = stdin.as_mut().map(|stdin| stdin.write_all(&payload));
    });
    let limit = hook.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(LIMIT);
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break status.code().map_or(End::Killed, End::Exited);
        }
        if started.elapsed() > limit {
            // The leader is not reaped yet, so the id is still valid.
            let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            child.wait()?;
            break End::TimedOut;
        }
        thread::sleep(Duration::from_millis(1));
    };
    let took = started.elapsed();
    let (stdout, stderr) = (read(stdout)?, read(stderr)?);
    let mut ran = Ran::ended(end).stdout(stdout).stderr(stderr).command(hook.name).mode(hook.mode);
    if let Some(target) = &sample.target {
        ran = ran.target(target);
    }
    Ok((ran, took))
}

/// Returns the JSON row of a test run.
pub(crate) fn trial_row(hook: &str, sample: &Sample, ran: &Ran, took: Duration, verdict: &Verdict) -> Result<Value> {
    let exit_code = match ran.end {
        End::Exited(code) => Some(code),
        _ => None,
    };
    let members = json!({
        "hook": hook,
        "event": sample.event.name,
        "subject": sample.target,
        "end": kebab(ran.end),
        "exit_code": exit_code,
        "milliseconds": took.as_millis(),
        "failed": ran.failure().map(|(_, why)| why),
        "stdout": String::from_utf8_lossy(&ran.stdout),
        "stderr": String::from_utf8_lossy(&ran.stderr),
        "verdict": verdict_members(verdict)?,
    });
    Ok(row("trial", members))
}

/// Returns the JSON members of a verdict: the client's reaction to the output of a hook.
pub(crate) fn verdict_members(verdict: &Verdict) -> Result<Value> {
    let value = match &verdict.action {
        Action::Answered(value) | Action::CreatedAt(value) => Some(value),
        _ => None,
    };
    let messages = |messages: &[Message]| -> Vec<Value> {
        messages.iter().map(|message| json!({"place": kebab(message.place), "text": message.text})).collect()
    };
    let effects = verdict.effects.iter().map(|effect| {
        let value = serde_json::to_value(&effect.value)?;
        Ok(json!({"member": effect.member, "value": value}))
    });
    let dropped = verdict.dropped.iter().map(|dropped| json!({"what": dropped.what, "why": dropped.why}));
    Ok(json!({
        "action": kebab(&verdict.action),
        "value": value,
        "ends_turn": verdict.ends_turn,
        "model_reads": messages(&verdict.model_reads),
        "user_sees": messages(&verdict.user_sees),
        "effects": effects.collect::<Result<Value>>()?,
        "dropped": Value::from_iter(dropped),
    }))
}

/// Returns the first text for the model or the user.
pub(crate) fn text(verdict: &Verdict) -> Option<&str> {
    verdict.model_reads.iter().chain(&verdict.user_sees).next().map(|message| &*message.text)
}

/// Returns the first text without the prefix that the client puts before the reason of a denial.
pub(crate) fn reason(verdict: &Verdict) -> Option<&str> {
    let text = text(verdict)?;
    Some(text.split_once(" hook error: ").map_or(text, |(_, reason)| reason))
}

/// Describes a hook's change of the tool's input; `None` if the input is unchanged.
pub(crate) fn change(verdict: &Verdict, sample: &Sample) -> Option<String> {
    let effect = verdict.effects.iter().find(|effect| effect.member == "updatedInput")?;
    let after = serde_json::to_value(&effect.value).ok()?;
    let before: Value = serde_json::from_slice(&sample.payload).ok()?;
    let mut members = after.as_object()?.iter();
    let (_, value) = members.find(|(key, value)| before["tool_input"].get(key) != Some(value))?;
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(format!("the tool runs with `{}`", one_line(&value)))
}

/// Returns the files that were written below folders since a time. In a large project, not all files are examined.
pub(crate) fn written<'f>(folders: impl IntoIterator<Item = &'f PathBuf>, since: SystemTime) -> Vec<PathBuf> {
    const MOST: usize = 100_000;
    let mut left: VecDeque<PathBuf> = folders.into_iter().cloned().collect();
    let (mut files, mut count) = (Vec::new(), 0);
    while let Some(folder) = left.pop_front().filter(|_| count < MOST) {
        for entry in entries(&folder) {
            count += 1;
            match entry.metadata() {
                Ok(found) if found.is_dir() => left.push_back(entry.path()),
                Ok(found) if found.modified().is_ok_and(|time| time >= since) => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

/// Returns a variant's name in kebab case, without its values, for JSON rows: `GoesOn` becomes `goes-on`.
fn kebab(variant: impl fmt::Debug) -> String {
    let name = format!("{variant:?}");
    separated(name.split('(').next().unwrap_or_default(), '-')
}

/// Describes how a run ended.
pub(crate) fn ended(end: End) -> String {
    match end {
        End::Exited(code) => format!("it ended with exit code {code}"),
        End::TimedOut => "it timed out".to_owned(),
        End::Killed => "it was killed by a signal".to_owned(),
        _ => "it was not started".to_owned(),
    }
}

/// Reads an open file from the start.
fn read(mut file: File) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use anyhow::ensure;
    use rustix::process::kill_process;

    use super::*;

    /// Runs a script as a hook. Returns the trial's folder and project, and the result.
    fn run(script: &str, timeout: f64) -> Result<(tempfile::TempDir, PathBuf, Ran)> {
        let folder = test_support::folder();
        let trial = Trial::new(folder.path())?;
        let hook = folder.path().join("hook");
        // Another process writes it, so that no child of this process inherits the file open for writing.
        let written = Command::new("sh").args(["-c", "printf '%s' \"$1\" > \"$0\""]).arg(&hook).arg(script).status()?;
        ensure!(written.success());
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755))?;
        let tried = Tried { name: "hook", timeout: Some(timeout), mode: Mode::Awaited };
        let sample = Sample::parse(br#"{"hook_event_name":"Stop"}"#)?;
        let (ran, _) = trial.run(&tried, &hook, &sample)?;
        Ok((folder, trial.project, ran))
    }

    fn is_running(process: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // A zombie is not running.
        state.rsplit(") ").next().is_some_and(|state| !state.is_empty() && !state.starts_with('Z'))
    }

    #[test]
    fn a_process_that_a_hook_leaves_running_is_not_waited_for() -> Result<()> {
        let (_folder, project, ran) = run("#!/bin/sh\nsleep 600 & echo $! > child; echo done >&2\n", 60.0)?;
        let child = fs::read_to_string(project.join("child"))?;
        let is_left = is_running(child.trim());
        let process = child.trim().parse().ok().and_then(Pid::from_raw).context("a process")?;
        kill_process(process, Signal::KILL)?;
        assert_eq!((ran.end, ran.stderr), (End::Exited(0), b"done\n".to_vec()));
        assert!(is_left, "it was not waited for");
        Ok(())
    }

    #[test]
    fn a_hook_past_its_timeout_is_killed_with_its_children() -> Result<()> {
        let (_folder, project, ran) = run("#!/bin/sh\nsleep 600 & echo $! > child; wait\n", 1.0)?;
        let child = fs::read_to_string(project.join("child"))?;
        assert_eq!(ran.end, End::TimedOut);
        // The kernel takes a moment.
        let is_gone = (0..500).any(|_| {
            thread::sleep(Duration::from_millis(10));
            !is_running(child.trim())
        });
        assert!(is_gone);
        Ok(())
    }
}
