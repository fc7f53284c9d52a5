//! Checks and runs the hooks that `install` has installed.

mod asked;
mod binary;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use hookkit_protocol::event::event;
use hookkit_protocol::hook::Mode;
use hookkit_verdict::{Action, End, Ran, Verdict};
use rustix::process::{getegid, geteuid};
use serde_json::json;

use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::build::link::Toolchain;
use crate::build::recording::Recording;
use crate::build::sample::{self, Sample};
use crate::build::trial::{Trial, Tried};
use crate::cargo::workspace::Workspace;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::fields::{self, is_true};
pub(crate) use crate::diagnose::own::asked::Asked;
use crate::diagnose::own::binary::Installed;
use crate::diagnose::report::{Diagnostic, Report};
use crate::disk::beneath::{self, Beneath};
use crate::disk::state;
use crate::settings::code::Code;
use crate::settings::drift::{IS_OFF, differing};
use crate::settings::folders::Scope;
use crate::settings::place::Place;
use crate::settings::plan::Hooks;
use crate::settings::record::{Function, Record};
use crate::settings::scope::{self, Target};
use crate::settings::within::Within;
use crate::settings::{installed, pause, pinned, startup};
use crate::terminal::{listed, quoted};

/// An entry that `install` wrote, or one that looks like it.
pub(crate) struct Own<'s> {
    pub(super) source: &'s HookFile,
    pub(super) handler: &'s Handler,
    pub(super) place: Place,
    pub(super) name: String,
    /// Path that the command starts.
    pub(super) program: PathBuf,
    /// File that `install` writes at that path.
    binary: Beneath,
    /// Record of `install` for the workspace.
    pub(super) record: Option<Record>,
    /// Record of the main working tree, if this is a linked one: a session gets its binaries from there.
    pub(super) of_main: Option<Record>,
}

/// Returns the entries of a session that hookkit has installed, from any workspace.
pub(crate) fn find<'s>(session: &'s Session, project: Option<&Path>) -> Vec<Own<'s>> {
    let settings = session.handlers().filter(|(source, _)| !source.is_plugin());
    settings
        .filter_map(|(source, handler)| Own::new(source, handler, project))
        .collect()
}

impl<'s> Own<'s> {
    fn new(source: &'s HookFile, handler: &'s Handler, project: Option<&Path>) -> Option<Self> {
        let command = handler.command()?;
        let kind = scope::kind(&source.path);
        // The command contains the workspace's name.
        let any = Place::new(kind, &source.path, "any").ok()?;
        // The entries of a folder within a project start the project's programs.
        let above = any.above(command);
        let is_within = above.is_some();
        let (place, at) = above.unwrap_or_else(|| (any.clone(), any));
        let (folder, name) = at.named(command)?;
        let workspace = folder.split('@').next().unwrap_or_default();
        let place = place.named_as(workspace);
        let binary = place.hookkit().join(folder).join("bin").join(name);
        let program = match command.strip_prefix("${CLAUDE_PROJECT_DIR}/") {
            Some(_) if is_within => binary.path(),
            Some(within) => project?.join(within),
            None => PathBuf::from(command),
        };
        let record = Record::read(&place).ok().flatten();
        Some(Self {
            source,
            handler,
            of_main: place.of_main().and_then(|main| Record::read(&main).ok()?),
            record,
            binary,
            place,
            name: name.to_owned(),
            program,
        })
    }

    /// Returns the hook's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the record of what is installed: that of the main working tree in a linked one.
    pub(super) fn known(&self) -> Option<&Record> {
        self.record.as_ref().or(self.of_main.as_ref())
    }

    /// Returns the names and the recorded functions of its hooks: of an order all of them, and else its own.
    pub(crate) fn functions(&self) -> Vec<(&str, Option<&Function>)> {
        let record = self.known();
        match record.and_then(|record| record.orders.get(&self.name)) {
            Some(order) => order
                .iter()
                .map(|(name, function)| (name.as_str(), Some(function)))
                .collect(),
            None => vec![(self.name(), record.and_then(|record| record.functions.get(&self.name)))],
        }
    }

    /// Returns `true` if its answers can replace a tool's input or output; `None` if that is not recorded.
    pub(super) fn rewrites(&self) -> Option<bool> {
        let known = self.known()?;
        let is_known = known.links.contains_key(&self.name);
        Some(known.rewriting.as_ref().filter(|_| is_known)?.contains(&self.name))
    }

    /// Returns the edit that runs it and another hook of its workspace one after the other.
    pub(super) fn in_order_with(&self, other: &Self) -> Option<String> {
        let [workspace, of_other] = [self, other].map(|own| own.known().map(|record| &record.workspace));
        let manifest = workspace.filter(|_| workspace == of_other)?.join("Cargo.toml");
        let names = [self, other].map(|own| own.functions().into_iter().map(|(name, _)| name.to_owned()));
        let names: Vec<String> = names.into_iter().flatten().collect();
        Some(format!(
            "run them one after the other: write `NAME = {names:?}` below `[workspace.metadata.hookkit.orders]` in {}, and {}",
            manifest.display(),
            self.fix()
        ))
    }

    /// Returns the options of commands that name the place of the entry.
    pub(super) fn options(&self) -> String {
        scope::options(&self.place)
    }

    /// Returns the command that fixes the entry and the binary.
    fn fix(&self) -> String {
        format!("run {}", typed("install", &self.place, self.record.as_ref()))
    }

    /// Reports a missing binary.
    pub(crate) fn is_missing(&self, does: String) -> Option<Diagnostic> {
        let (name, fix) = (&self.name, self.fix());
        if self.program.is_dir() {
            let what = format!("there is a folder in place of the binary of `{name}`");
            let fix = format!("remove {}, and {fix}", self.program.display());
            return Some(Diagnostic::new(Code::MissingBinary, what, does, fix));
        }
        let what = format!("the binary of `{name}` is missing");
        (!self.program.exists()).then(|| Diagnostic::new(Code::MissingBinary, what, does, fix))
    }

    /// Returns the consequence of a program that cannot run.
    fn never_runs(&self) -> String {
        self.as_rules_take_it()
            .map_or_else(String::new, fields::Handler::never_runs)
    }

    /// Returns Claude Code's reaction to a failure, as a verb.
    fn then(&self) -> &'static str {
        match self.as_rules_take_it().is_some_and(fields::Handler::blocks_on_failure) {
            true => "blocks, because of its `onFailure`",
            false => "goes ahead",
        }
    }

    fn as_rules_take_it(&self) -> Option<fields::Handler<'_>> {
        Some(fields::Handler {
            event: event(&self.handler.event)?,
            matcher: self.handler.matcher.as_deref(),
            fields: self.handler.values.as_object()?,
        })
    }

    /// Reports an entry that has changed since `install`.
    fn is_edited(&self) -> Option<Diagnostic> {
        let Handler {
            event, matcher, values, ..
        } = self.handler;
        let inserted = self.record.as_ref()?.inserted_into(self.source.document.as_ref());
        // An entry that came with the clone was written by `install` on another machine.
        let is_inserted = inserted.count(self.handler.command().unwrap_or_default()) > 0;
        if !is_inserted || inserted.has_hook(event, matcher.as_deref(), values) {
            return None;
        }
        let what = format!("the entry of `{}` has changed since `install`", self.name);
        let fix = format!(
            "{}; to override its settings, put them in its Cargo.toml under `[workspace.metadata.hookkit.hooks.{}]`",
            self.fix(),
            self.name
        );
        let diagnostic = Diagnostic::new(Code::ChangedEntry, what, "Claude Code uses the changed entry", fix);
        Some(diagnostic.at(self.source, self.handler.place))
    }

    /// Opens the binary, if this machine has installed it: hookkit starts no other. While the hook is off, it has another
    /// name.
    fn installed(&self) -> Result<Option<Installed>> {
        let is_off = pause::of(&self.place, &self.name)?.is_some();
        let binary = match is_off {
            true => pause::program(&self.place, &self.name),
            false => self.binary.clone(),
        };
        let opened = binary.parent().open().and_then(|folder| folder.open(binary.name()?));
        // `install` writes regular files: a link, for example, is something else.
        let Ok(file) = opened else { return Ok(None) };
        let mut records = self.record.iter().chain(&self.of_main);
        let bytes = beneath::read_binary(&file, &binary);
        let is_known = bytes.is_ok_and(|bytes| records.any(|record| record.knows(&self.name, &bytes)));
        // The child process is started by the descriptor's path, so it must inherit the descriptor.
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
        Ok(is_known.then(|| Installed {
            file,
            path: match is_off {
                true => binary.path(),
                false => self.program.clone(),
            },
        }))
    }

    /// Reports a binary that has changed since `install`.
    fn is_replaced(&self, has_changed: bool) -> Option<Diagnostic> {
        let what = format!("the binary of `{}` has changed since `install`", self.name);
        let does = "Claude Code still runs it";
        has_changed.then(|| self.diagnostic(Code::ChangedBinary, what, does))
    }

    /// Reports an unchanged binary that not only the user can change.
    fn can_be_changed(&self) -> Diagnostic {
        let what = format!(
            "the binary of `{}` can be changed by other users, or under another name",
            self.name
        );
        self.diagnostic(
            Code::WritableByOthers,
            what,
            "Claude Code still runs it, but `doctor` does not",
        )
    }

    fn diagnostic(&self, code: Code, what: impl Into<String>, does: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, what, does, self.fix()).at(self.source, self.handler.place)
    }

    /// Returns `true` if this machine has installed the hook. In a clone, the entry was there before.
    fn is_recorded(&self) -> bool {
        let mut records = self.record.iter().chain(&self.of_main);
        records.any(|record| record.binaries.contains_key(&self.name))
    }

    /// Returns the hook's name, and its answer to an event. One that is off is asked, too.
    pub(crate) fn ask(&self, trial: &Trial, sample: &Sample) -> (&str, Asked) {
        let blocks = self.handler.values["onFailure"] == "block";
        let asked = match self.installed() {
            Ok(installed) => Asked::of(installed.as_ref(), &self.tried(), blocks, trial, sample),
            Err(error) => Asked::NotStarted(format!("{error:#}")),
        };
        (self.name(), asked)
    }

    /// Returns `true` if it is the hook of this entry.
    pub(crate) fn is_of(&self, handler: &Handler) -> bool {
        std::ptr::eq(self.handler, handler)
    }

    fn tried(&self) -> Tried<'_> {
        let is = |key: &str| self.handler.values.as_object().is_some_and(|keys| is_true(keys, key));
        Tried {
            name: &self.name,
            timeout: self.handler.values["timeout"].as_f64(),
            mode: match () {
                () if is("asyncRewake") => Mode::AsyncRewake,
                () if is("async") => Mode::Async,
                () => Mode::Awaited,
            },
        }
    }
}

/// Returns a command and the folder to type it in.
fn typed(command: &str, place: &Place, record: Option<&Record>) -> String {
    let options = scope::options(place);
    let folder = match record {
        Some(record) if record.workspace.is_dir() => format!("in {}", record.workspace.display()),
        _ => "in the hook's workspace".to_owned(),
    };
    format!("`cargo xtask {command}{options}` {folder}")
}

/// Finds contradictions between a project's settings and the files from which clones install its hooks.
pub(crate) fn shared(session: &Session) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for source in session.sources.iter().filter(|source| source.scope == Scope::Project) {
        let Ok(place) = Place::new(scope::kind(&source.path), &source.path, "any") else {
            continue;
        };
        if !place.is_shared() {
            continue;
        }
        let found = pinned::disagreements(&place).unwrap_or_else(|err| vec![format!("{err:#}")]);
        let does = "a clone installs hooks from these files, not from the settings";
        let fix = format!(
            "correct the wrong file, or restore it from git, and run `cargo xtask sync{}`",
            scope::options(&place)
        );
        diagnostics.extend(
            found
                .into_iter()
                .map(|what| Diagnostic::new(Code::SharedFilesDiffer, what, does, &fix).at(source, None)),
        );
    }
    diagnostics
}

/// Finds installed hooks that the settings no longer name.
pub(crate) fn unnamed(session: &Session) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let files = session.sources.iter().filter(|source| {
        let is_known = matches!(source.state, State::Read | State::Missing);
        is_known && !source.is_plugin() && source.scope != Scope::Managed
    });
    for source in files {
        let any = Place::new(scope::kind(&source.path), &source.path, "any");
        for place in any.map(|place| place.others()).unwrap_or_default() {
            let Ok(Some(record)) = Record::read(&place) else {
                continue;
            };
            let inserted = record.inserted_into(source.document.as_ref());
            let is_named = |name: &String| {
                let mut commands = source.handlers.iter().filter_map(Handler::command);
                commands.any(|command| place.hook(command) == Some(name))
            };
            for name in record.links.keys() {
                if inserted.count(&place.command(name)) == 0 || is_named(name) {
                    continue;
                }
                let what = match source.state {
                    State::Missing => format!("`{name}` was installed in this file, which no longer exists"),
                    _ => format!("`{name}` was installed here, but this file has no entry for it"),
                };
                let fix = format!(
                    "run {}, or `uninstall` to remove it",
                    typed("install", &place, Some(&record))
                );
                diagnostics.push(
                    Diagnostic::new(Code::MissingEntry, what, "Claude Code does not run it", fix).at(source, None),
                );
            }
        }
    }
    diagnostics
}

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

/// Compares the installed hooks of this workspace with a build of its sources.
pub(crate) fn compare(own: &[Own<'_>], target: &Target) -> Result<Vec<Diagnostic>> {
    let workspace = Workspace::find()?;
    let toolchain = Toolchain::find(&workspace.root)?;
    let mut build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let all = build.definitions()?;
    let mut diagnostics = Vec::new();
    for place in target.places(&workspace.naming())? {
        installed::ours(&place, &workspace.root)?;
        // A missing binary has its own finding, and nothing to compare.
        let here = own.iter();
        let here = here.filter(|own| {
            own.place.folder_name() == place.folder_name()
                && own.place.settings() == place.settings()
                && own.program.is_file()
        });
        let here: Vec<&Own<'_>> = here.collect();
        let is_here = |hook: &&Definition| here.iter().any(|own| own.name == hook.declared.name);
        let hooks: Vec<Definition> = all.iter().filter(is_here).cloned().collect();
        if here.is_empty() {
            continue;
        }
        let record_runs = here
            .iter()
            .any(|own| own.record.as_ref().is_some_and(|record| record.records_runs));
        build.recording = match record_runs {
            true => Some(Recording::new(&workspace, place.command(""))?),
            false => None,
        };
        let built = Hooks {
            all: &all,
            definitions: &hooks,
            binaries: &build.binaries(&hooks)?,
            links: &BTreeMap::new(),
            chosen: None,
            within: &Within::default(),
            listed: &BTreeSet::new(),
            owner: None,
            is_forced: false,
            record_runs,
        };
        let (settings, script) = (installed::settings(&place)?, startup::file(&place).read()?);
        for (name, what) in differing(&place, settings.as_ref(), script.as_deref(), &built)? {
            // It has its own note.
            if what == IS_OFF {
                continue;
            }
            let Some(own) = here.iter().find(|own| own.name == name) else {
                continue;
            };
            let does = "Claude Code runs the version that was installed before";
            diagnostics.push(own.diagnostic(Code::OutOfDate, format!("`{name}` is not up to date: {what}"), does));
        }
    }
    Ok(diagnostics)
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
