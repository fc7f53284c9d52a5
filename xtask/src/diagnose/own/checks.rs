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

use super::{Installed, Own};
use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::binaries::recording::Recording;
use crate::binaries::sample::{self, Sample};
use crate::binaries::trial::Trial;
use crate::cargo::workspace::Workspace;
use crate::diagnose::report::Report;
use crate::disk::state;
use crate::settings::code::{installed, sessions};
use crate::settings::drift::{Difference, IS_OFF, differing};
use crate::settings::finding::Finding;
use crate::settings::installed::ours;
use crate::settings::place::PlaceKind;
use crate::settings::plan::Hooks;
use crate::settings::scope::Target;
use crate::settings::state::State;
use crate::settings::within::Folders;
use crate::terminal::{listed, quoted};

/// Checks installed hooks, and runs those that provably belong to the user.
pub(crate) fn look(own: &[Own<'_>], report: &mut Report) -> Result<()> {
    let own: Vec<&Own<'_>> = own.iter().filter(|own| own.handler.lost.is_none() && own.program.is_file()).collect();
    report.findings.extend(twice(&own));
    report.findings.extend(recording(&own));
    let mut folders = BTreeSet::new();
    let mut sound = Vec::new();
    for own in own {
        let before = report.findings.len();
        for folder in own.program.ancestors().skip(1).take(5) {
            // `bin`, and the folders of the workspace, hookkit, the client and the project.
            if folders.insert(folder.to_owned()) {
                report.findings.extend(unsafe_folder(own, folder));
            }
        }
        let is_recorded = own.is_recorded();
        if !is_recorded {
            report.findings.push(own.fixed(match own.place.notes.why_not() {
                Some(why) => installed::unread_record(&own.name, why),
                None => installed::unknown_binary(&own.name),
            }));
        }
        // A hook that must be installed again is not run.
        report.findings.extend(own.is_edited().filter(|_| is_recorded));
        let program = own.installed()?;
        if program.is_none() && is_recorded {
            report.findings.push(own.fixed(installed::changed_binary(&own.name)));
        }
        // A file that is not executable is reported by the rules.
        if report.findings.len() == before
            && let Some(program) = program.filter(Installed::is_executable)
        {
            if program.is_users_alone() {
                sound.push((own, program));
            } else {
                report.findings.push(own.fixed(sessions::changeable_binary(&own.name)));
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

/// Finds hooks in two settings files or from two workspaces. The client runs both, because their commands differ.
fn twice(own: &[&Own<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
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
        let (theirs, ours) = (&other.place.workspace, &one.place.workspace);
        let found = if theirs == ours {
            installed::installed_twice(&one.name, one.options())
        } else {
            installed::in_two_workspaces(&one.name, theirs, ours)
        };
        findings.push(one.at(found).see_also(other.source, other.handler));
    }
    findings
}

/// Reports settings files whose hooks record their runs, because the user may have forgotten it.
fn recording(own: &[&Own<'_>]) -> Vec<Finding> {
    let is_recording = |own: &&&Own<'_>| own.known().is_some_and(|record| record.records_runs);
    let mut places: BTreeMap<(&Path, &str), Vec<&Own<'_>>> = BTreeMap::new();
    for own in own.iter().filter(is_recording) {
        places.entry((&own.source.path, &own.place.workspace)).or_default().push(own);
    }
    let note = |own: Vec<&Own<'_>>| {
        let names: BTreeSet<&str> = own.iter().map(|own| &*own.name).collect();
        let verb = if names.len() == 1 { "records its" } else { "record their" };
        let does = match state::runs() {
            Ok(file) => format!("their input and answers are appended to {}", file.display()),
            Err(err) => format!("{err:#}"),
        };
        let own = own.first()?;
        let hooks = format!("{} {verb}", listed(names));
        Some(own.at(installed::records_runs(hooks, own.fix(), does)))
    };
    places.into_values().filter_map(note).collect()
}

/// Reports a folder of installed hooks that other users can write to.
fn unsafe_folder(own: &Own<'_>, folder: &Path) -> Option<Finding> {
    let metadata = fs::metadata(folder).ok()?;
    let shown = folder.display();
    if metadata.uid() != geteuid().as_raw() {
        return Some(own.at(sessions::folder_of_another_user(shown, metadata.uid())));
    }
    // In a sticky folder, only the owner of a file can replace it.
    let is_sticky = metadata.mode() & 0o1000 != 0;
    let (who, mode) = match metadata.mode() {
        _ if is_sticky => return None,
        // The rules check the folder of the file itself.
        mode if mode & 0o002 != 0 && own.program.parent() != Some(folder) => ("every user".to_owned(), "o-w"),
        // The user's own group often has no other members.
        mode if mode & 0o020 != 0 && metadata.gid() != getegid().as_raw() => {
            (format!("the group with the id {}", metadata.gid()), "g-w")
        }
        _ => return None,
    };
    Some(own.at(sessions::open_folder(who, shown, mode, quoted(folder.display()))))
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
    // The matcher may be for an MCP server without a recorded call. On any other call, the hook has no opinion.
    let Some(sample) = sample.or_else(|| samples.iter().find(is_of_event)) else {
        return Ok(());
    };
    let empty = Sample { event, target: sample.target.clone(), payload: Vec::new() };
    let blocks = handler.values["onFailure"] == "block";
    for (stdin, sample) in [("recorded", sample), ("empty", &empty)] {
        let (ran, took) = match trial.run(&own.tried(), &program.path(), sample) {
            Ok(ran) => ran,
            Err(err) => {
                let why = format!("{:#}", err.root_cause());
                let finding = installed::cannot_start(name, why, own.never_runs());
                report.findings.push(own.fixed(finding));
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
        let finding = match stdin {
            "recorded" => on_event(own, sample, &ran),
            _ => on_empty_input(own, sample, &ran, blocks),
        };
        report.findings.extend(finding);
    }
    Ok(())
}

/// Checks a hook's run on a recorded event.
fn on_event(own: &Own<'_>, sample: &Sample, ran: &Ran) -> Option<Finding> {
    let (name, event) = (&own.name, sample.name());
    let stderr = String::from_utf8_lossy(&ran.stderr);
    let message = stderr.lines().next().unwrap_or_default();
    match ran.end {
        End::Exited(0 | 2) => {
            let verdict = Verdict::of(sample.event, ran);
            let dropped = verdict.dropped.iter().find(|dropped| dropped.what == "stdout")?;
            Some(own.fixed(installed::answer_ignored(name, event, &dropped.why)))
        }
        // The hook may need something that the empty project does not have.
        End::Exited(code) => Some(own.at(installed::hook_failed(name, event, code, message))),
        End::TimedOut => Some(own.fixed(installed::hook_timed_out(name, event, own.then()))),
        _ => Some(own.fixed(installed::hook_crashed(name, event, own.then()))),
    }
}

/// Checks a hook's run on empty input. The hook must fail.
fn on_empty_input(own: &Own<'_>, sample: &Sample, ran: &Ran, blocks: bool) -> Option<Finding> {
    let name = &own.name;
    Some(own.fixed(match ran.end {
        End::Exited(2) => return None,
        // `on_failure = ask`.
        End::Exited(0) if Verdict::of(sample.event, ran).action == Action::Asked => return None,
        End::Exited(1) if !blocks => return None,
        End::Exited(1) => installed::failure_without_block(name),
        End::Exited(code) => installed::unexpected_exit(name, code),
        End::TimedOut => installed::timed_out_on_empty_input(name),
        _ => installed::crashed_on_empty_input(name),
    }))
}

/// Compares this workspace's installed hooks with a build of its sources.
pub(crate) fn compare(own: &[Own<'_>], target: &Target) -> Result<Vec<Finding>> {
    let workspace = Workspace::find()?;
    let mut build = Build::new(&workspace)?;
    let all = build.definitions()?;
    let mut findings = Vec::new();
    for place in target.places(&workspace.naming())? {
        ours(&place, &workspace.root)?;
        // A missing binary has its own finding and cannot be compared.
        let is_here = |own: &&Own<'_>| own.is_at(&place) && own.program.is_file();
        let here: Vec<&Own<'_>> = own.iter().filter(is_here).collect();
        if here.is_empty() {
            continue;
        }
        let records = || here.iter().filter_map(|own| own.record.as_ref());
        let is_installed = |hook: &&Definition| here.iter().any(|own| own.name == hook.declared.name);
        let mut hooks: Vec<Definition> = all.iter().filter(is_installed).cloned().collect();
        for hook in &mut hooks {
            hook.entries.retain(|entry| !records().any(|record| record.left_out.contains(&entry.event)));
        }
        let record_runs = records().any(|record| record.records_runs);
        let audit = records().find_map(|record| record.audit);
        let named = place.clone();
        let command = Box::new(move |hook: &str| named.command(hook));
        let of_all_users = matches!(place.kind, PlaceKind::Managed(_));
        build.recording = Recording::new(&workspace, record_runs, audit, of_all_users, command)?;
        let built = Hooks {
            all: &all,
            definitions: &hooks,
            binaries: &build.binaries(&hooks)?,
            links: &BTreeMap::new(),
            chosen: None,
            folders: &Folders::default(),
            owner: None,
            is_forced: false,
            min_client: workspace.settings.min_client.as_ref(),
            left_out: &BTreeSet::new(),
            record_runs,
            audit,
        };
        for Difference { name, what, .. } in differing(&State::read(&place)?, &built)? {
            // This has its own note.
            if what == IS_OFF {
                continue;
            }
            let own = here.iter().find(|own| own.name == name);
            findings.extend(own.map(|own| own.fixed(installed::out_of_date(&name, what))));
        }
    }
    Ok(findings)
}
