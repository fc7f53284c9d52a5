//! Checks and runs the hooks that `install` has installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result};
use hookkit_protocol::event::event;
use hookkit_verdict::{Action, End, Ran, Verdict};
use rustix::process::{getegid, geteuid};
use serde_json::json;

use crate::binaries::sample::{self, Sample};
use crate::binaries::trial::Trial;
use crate::diagnose::own::Own;
use crate::diagnose::own::binary::Installed;
use crate::diagnose::report::{Diagnostic, Report};
use crate::disk::state;
use crate::settings::code::Code;
use crate::settings::scope;
use crate::terminal::{listed, quoted};

/// Checks installed hooks, and runs those that are certainly the user's own.
pub(crate) fn look(own: &[Own<'_>], report: &mut Report) -> Result<()> {
    let own: Vec<&Own<'_>> = own
        .iter()
        .filter(|own| own.handler.lost.is_none() && own.program.is_file())
        .collect();
    report.diagnostics.extend(twice(&own));
    report.diagnostics.extend(recording(&own));
    let mut folders = BTreeSet::new();
    let mut sound = Vec::new();
    for own in own {
        let before = report.diagnostics.len();
        for folder in own.program.ancestors().skip(1).take(5) {
            // `bin`, and the folders of the workspace, hookkit, the client and the project.
            if folders.insert(folder.to_owned()) {
                report.diagnostics.extend(unsafe_folder(own, folder));
            }
        }
        let is_recorded = own.is_recorded();
        if !is_recorded {
            let what = match own.place.notes.why_not() {
                Some(why) => format!("it is not known whether `{}` was installed here: {why}", own.name),
                None => format!("`{}` was not installed here by this machine", own.name),
            };
            let does = "Claude Code still runs the binary";
            report.diagnostics.push(own.diagnostic(Code::UnknownBinary, what, does));
        }
        // A hook that needs a new `install` is not run.
        report.diagnostics.extend(own.is_edited().filter(|_| is_recorded));
        let program = own.installed()?;
        report
            .diagnostics
            .extend(own.is_replaced(program.is_none()).filter(|_| is_recorded));
        // The rules report a file that is not executable.
        if report.diagnostics.len() == before
            && let Some(program) = program.filter(Installed::is_executable)
        {
            match program.is_users_alone() {
                true => sound.push((own, program)),
                false => report.diagnostics.push(own.can_be_changed()),
            }
        }
    }
    if sound.is_empty() {
        return Ok(());
    }
    let folder = tempfile::tempdir().context("there is no temporary folder")?;
    let trial = Trial::new(folder.path())?;
    let samples = sample::all(&trial.project)?;
    for (own, program) in sound {
        try_out(own, &program, &trial, &samples, report)?;
    }
    Ok(())
}

/// Finds hooks that are in two settings files or two workspaces. Their commands differ, so the client runs both.
fn twice(own: &[&Own<'_>]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (later, one) in own.iter().enumerate() {
        let root = |own: &Own<'_>| own.record.as_ref().map(|record| record.workspace.clone());
        let is_same = |other: &&&Own<'_>| {
            let is_of_two_workspaces =
                other.place.workspace != one.place.workspace && other.handler.matcher == one.handler.matcher;
            other.name == one.name
                && other.handler.event == one.handler.event
                && other.program != one.program
                && (is_of_two_workspaces || root(other).is_some_and(|other| root(one) == Some(other)))
        };
        let Some(other) = own[..later].iter().find(is_same) else {
            continue;
        };
        if other.place.workspace != one.place.workspace {
            let what = format!(
                "`{}` is a hook of `{}` and of `{}`",
                one.name, other.place.workspace, one.place.workspace
            );
            let fix = format!(
                "if they are the same, turn one of them off in its workspace: `off = true` in \
                 `[workspace.metadata.hookkit.hooks.{}]`",
                one.name
            );
            let found = Diagnostic::new(Code::InstalledTwice, what, "Claude Code runs both", fix)
                .at(one.source, one.handler.place);
            diagnostics.push(found.see_also(&other.source.path, other.handler.place).note());
            continue;
        }
        let what = format!("`{}` is also installed in another settings file", one.name);
        let fix = format!(
            "remove it from one of them: `cargo xtask uninstall{}`, then `install` the hooks to keep",
            scope::options(&one.place)
        );
        let found =
            Diagnostic::new(Code::InstalledTwice, what, "Claude Code runs both", fix).at(one.source, one.handler.place);
        diagnostics.push(found.see_also(&other.source.path, other.handler.place));
    }
    diagnostics
}

/// Notes the settings files whose hooks record their runs: the user may have forgotten it.
fn recording(own: &[&Own<'_>]) -> Vec<Diagnostic> {
    let is_recording = |own: &&&Own<'_>| own.known().is_some_and(|record| record.records_runs);
    let mut places: BTreeMap<(&Path, &str), Vec<&Own<'_>>> = BTreeMap::new();
    for own in own.iter().filter(is_recording) {
        places
            .entry((&own.source.path, &own.place.workspace))
            .or_default()
            .push(own);
    }
    let note = |own: Vec<&Own<'_>>| {
        let names: BTreeSet<&str> = own.iter().map(|own| own.name()).collect();
        let verb = if names.len() == 1 {
            "records its"
        } else {
            "record their"
        };
        let what = format!("{} {verb} runs", listed(names));
        let does = match state::runs() {
            Ok(file) => format!("what they get and answer is appended to {}", file.display()),
            Err(err) => format!("{err:#}"),
        };
        let own = own.first()?;
        let fix = format!("to end this, {}", own.fix());
        Some(
            Diagnostic::new(Code::RecordsRuns, what, does, fix)
                .note()
                .at(own.source, own.handler.place),
        )
    };
    places.into_values().filter_map(note).collect()
}

/// Reports a folder of installed hooks that other users can write to.
fn unsafe_folder(own: &Own<'_>, folder: &Path) -> Option<Diagnostic> {
    let metadata = fs::metadata(folder).ok()?;
    let shown = folder.display();
    if metadata.uid() != geteuid().as_raw() {
        let what = format!("the folder {shown} belongs to another user (id {})", metadata.uid());
        let does = "that user can change what runs in your sessions";
        let found = Diagnostic::new(
            Code::WritableByOthers,
            what,
            does,
            "run this as that user, or make the folder yours with `chown`",
        );
        return Some(found.at(own.source, own.handler.place));
    }
    // In a sticky folder, only a file's owner can replace it.
    let is_sticky = metadata.mode() & 0o1000 != 0;
    let (who, mode) = match metadata.mode() {
        _ if is_sticky => return None,
        // The rules check the folder that the file is in.
        mode if mode & 0o002 != 0 && own.program.parent() != Some(folder) => ("every user".to_owned(), "o-w"),
        // The user's own group often has no other member.
        mode if mode & 0o020 != 0 && metadata.gid() != getegid().as_raw() => {
            (format!("the group with the id {}", metadata.gid()), "g-w")
        }
        _ => return None,
    };
    let does = "they can change what runs in your sessions";
    let what = format!("{who} can write to the folder `{shown}`");
    let fix = format!("run `chmod {mode} {}`", quoted(&shown.to_string()));
    Some(Diagnostic::new(Code::WritableByOthers, what, does, fix).at(own.source, own.handler.place))
}

/// Runs a hook on a matching recorded event, and on empty input.
fn try_out(own: &Own<'_>, program: &Installed, trial: &Trial, samples: &[Sample], report: &mut Report) -> Result<()> {
    let (name, handler) = (&own.name, own.handler);
    let Some(event) = event(&handler.event) else {
        return Ok(());
    };
    let matcher = handler.matcher.as_deref().filter(|matcher| !matcher.is_empty());
    let is_of_event = |sample: &&Sample| sample.event.name == event.name;
    let sample = samples.iter().find(|sample| sample.fits(event.name, matcher));
    // The matcher may be for an MCP server that was not recorded; the hook has no opinion on the call then.
    let Some(sample) = sample.or_else(|| samples.iter().find(is_of_event)) else {
        return Ok(());
    };
    let empty = Sample {
        event,
        target: sample.target.clone(),
        payload: Vec::new(),
    };
    let blocks = handler.values["onFailure"] == "block";
    for (stdin, sample) in [("recorded", sample), ("empty", &empty)] {
        let (ran, took) = match trial.run(&own.tried(), &program.path(), sample) {
            Ok(ran) => ran,
            Err(err) => {
                let what = format!("`{name}` cannot be started: {:#}", err.root_cause());
                report
                    .diagnostics
                    .push(own.diagnostic(Code::CannotStart, what, own.never_runs()));
                return Ok(());
            }
        };
        let exit_code = match ran.end {
            End::Exited(code) => Some(code),
            _ => None,
        };
        report.trials.push(json!({
            "kind": "trial",
            "scope": own.source.scope.to_string(),
            "file": own.source.path.display().to_string(),
            "line": handler.place.line,
            "column": handler.place.column,
            "hook": name,
            "program": own.program.display().to_string(),
            "event": event.name,
            "stdin": stdin,
            "exit_code": exit_code,
            "milliseconds": took.as_millis(),
        }));
        let diagnostic = match stdin {
            "recorded" => on_event(own, sample, &ran),
            _ => on_empty_input(own, sample, &ran, blocks),
        };
        report.diagnostics.extend(diagnostic);
    }
    Ok(())
}

/// Checks a hook's run on a recorded event.
fn on_event(own: &Own<'_>, sample: &Sample, ran: &Ran) -> Option<Diagnostic> {
    let (name, event) = (&own.name, sample.name());
    let stderr = String::from_utf8_lossy(&ran.stderr);
    let message = stderr.lines().next().unwrap_or_default();
    match ran.end {
        End::Exited(0 | 2) => {
            let verdict = Verdict::of(sample.event, ran);
            let dropped = verdict.dropped.iter().find(|dropped| dropped.what == "stdout")?;
            let what = format!(
                "the answer of `{name}` to a recorded {event} is ignored: {}",
                dropped.why
            );
            Some(own.diagnostic(Code::AnswerIgnored, what, "Claude Code uses only the exit code"))
        }
        End::Exited(code) => {
            // It may need something that the empty project does not have.
            let what = format!("`{name}` failed on a recorded {event}, in an empty project, with exit code {code}");
            Some(
                Diagnostic::new(Code::HookFailed, what, message, "")
                    .note()
                    .at(own.source, own.handler.place),
            )
        }
        End::TimedOut => {
            let what = format!("`{name}` did not exit on a recorded {event}");
            let does = format!("Claude Code ends it after its `timeout`, and {}", own.then());
            Some(own.diagnostic(Code::HookTimedOut, what, does))
        }
        _ => {
            let what = format!("`{name}` crashed on a recorded {event}");
            let does = format!("Claude Code treats that as a failure, and {}", own.then());
            Some(own.diagnostic(Code::HookCrashed, what, does))
        }
    }
}

/// Checks a hook's run on empty input, which has to be a failure.
fn on_empty_input(own: &Own<'_>, sample: &Sample, ran: &Ran, blocks: bool) -> Option<Diagnostic> {
    let name = &own.name;
    let does = "its failure does not have the declared effect";
    let (code, what) = match ran.end {
        End::Exited(2) => return None,
        // `on_failure = ask`.
        End::Exited(0) if Verdict::of(sample.event, ran).action == Action::Asked => return None,
        End::Exited(1) if !blocks => return None,
        End::Exited(code) => {
            let why = match code {
                1 => "but its entry declares that a failure blocks",
                _ => "which does not count as a failure",
            };
            let what = format!("`{name}` exits with {code} on empty input, {why}");
            (Code::UnexpectedExit, what)
        }
        End::TimedOut => (Code::HookTimedOut, format!("`{name}` did not exit on empty input")),
        _ => (Code::HookCrashed, format!("`{name}` crashed on empty input")),
    };
    Some(own.diagnostic(code, what, does))
}
