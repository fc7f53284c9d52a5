//! The hooks that `install` has installed: are they there, and do they run?

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::os::fd::AsRawFd;
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
use crate::build::sample::{self, Sample};
use crate::build::trial::{Trial, Tried};
use crate::cargo::workspace::Workspace;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, Source, State};
use crate::diagnose::fields::{self, is_true};
use crate::diagnose::report::{Report, Told};
use crate::disk::beneath::{self, Beneath};
use crate::settings::drift::differing;
use crate::settings::folders::Scope;
use crate::settings::place::Place;
use crate::settings::plan::Hooks;
use crate::settings::record::Record;
use crate::settings::scope::{self, Target};
use crate::settings::{installed, pinned, startup};
use crate::terminal::quoted;

/// An entry that `install` wrote, or one that looks like it.
pub(crate) struct Own<'s> {
    pub(super) source: &'s Source,
    pub(super) handler: &'s Handler,
    place: Place,
    name: String,
    /// The path that the command starts.
    pub(super) program: PathBuf,
    /// The file that `install` writes there.
    binary: Beneath,
    /// The notes of `install` about the workspace.
    record: Option<Record>,
    /// Those about the main working tree, if this is a linked one: a session gets its binaries from there.
    of_main: Option<Record>,
}

/// The entries of a session that are hookkit's, whichever workspace's.
pub(crate) fn find<'s>(session: &'s Session, project: Option<&Path>) -> Vec<Own<'s>> {
    let settings = session
        .handlers()
        .filter(|(source, _)| !source.is_plugin() && source.scope != Scope::Managed);
    settings
        .filter_map(|(source, handler)| Own::new(source, handler, project))
        .collect()
}

impl<'s> Own<'s> {
    fn new(source: &'s Source, handler: &'s Handler, project: Option<&Path>) -> Option<Self> {
        let command = handler.command()?;
        let kind = scope::kind(&source.path);
        // Which workspace's it is stands in the command.
        let any = Place::new(kind.clone(), &source.path, "any").ok()?;
        let (folder, name) = any.named(command)?;
        let workspace = folder.split('@').next().unwrap_or_default();
        let place = Place::new(kind, &source.path, workspace).ok()?;
        let program = match command.strip_prefix("${CLAUDE_PROJECT_DIR}/") {
            Some(within) => project?.join(within),
            None => PathBuf::from(command),
        };
        let record = Record::read(&place).ok().flatten();
        Some(Self {
            source,
            handler,
            of_main: place.of_main().and_then(|main| Record::read(&main).ok()?),
            record,
            binary: place.hookkit().join(folder).join("bin").join(name),
            place,
            name: name.to_owned(),
            program,
        })
    }

    /// What to type to have it as it should be.
    fn fix(&self) -> String {
        format!("run {}", typed("install", &self.place, self.record.as_ref()))
    }

    /// That there is no binary, where there is none.
    pub(crate) fn is_missing(&self, does: String) -> Option<Told> {
        let (name, fix) = (&self.name, self.fix());
        if self.program.is_dir() {
            let what = format!("a folder stands where the binary of `{name}` should be");
            let fix = format!("remove {}, and {fix}", self.program.display());
            return Some(Told::new(what, does, fix));
        }
        let what = format!("the binary of `{name}` is missing");
        (!self.program.exists()).then(|| Told::new(what, does, fix))
    }

    /// What comes of a program that cannot run.
    fn never_runs(&self) -> String {
        self.as_rules_want()
            .map_or_else(String::new, fields::Handler::never_runs)
    }

    /// What Claude Code does where it fails.
    fn then(&self) -> &'static str {
        match self.as_rules_want().is_some_and(fields::Handler::blocks_on_failure) {
            true => "blocks, by its `onFailure`",
            false => "goes on",
        }
    }

    fn as_rules_want(&self) -> Option<fields::Handler<'_>> {
        Some(fields::Handler {
            event: event(&self.handler.event)?,
            matcher: self.handler.matcher.as_deref(),
            fields: self.handler.values.as_object()?,
        })
    }

    /// That the entry is another one than `install` wrote, where it is.
    fn is_edited(&self) -> Option<Told> {
        let Handler {
            event, matcher, values, ..
        } = self.handler;
        let inserted = self.record.as_ref()?.inserted_into(self.source.document.as_ref());
        // What came with the clone was written by another machine's `install`.
        let is_inserted = inserted.count(self.handler.command().unwrap_or_default()) > 0;
        if !is_inserted || inserted.has_hook(event, matcher.as_deref(), values) {
            return None;
        }
        let what = format!("the entry of `{}` is not what `install` wrote here", self.name);
        let fix = format!(
            "{}; what shall be otherwise stands in its Cargo.toml, in `[workspace.metadata.hookkit.hooks.{}]`",
            self.fix(),
            self.name
        );
        let told = Told::new(what, "Claude Code goes by what stands here", fix);
        Some(told.at(self.source, self.handler.place))
    }

    /// Opens the binary, if it is one that this machine has installed: no other is started by us.
    fn installed(&self) -> Result<Option<Installed>> {
        let opened = self
            .binary
            .parent()
            .open()
            .and_then(|folder| folder.open(self.binary.name()?));
        // A link, and whatever else is not to be opened, is not what was installed.
        let Ok(file) = opened else { return Ok(None) };
        let mut records = self.record.iter().chain(&self.of_main);
        let binary = beneath::read_binary(&file, &self.binary);
        let is_known = binary.is_ok_and(|bytes| records.any(|record| record.knows(&self.name, &bytes)));
        // A process that is started by the descriptor's path has to have the descriptor.
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
        Ok(is_known.then(|| Installed {
            file,
            path: self.program.clone(),
        }))
    }

    /// That another binary is in the place of the one that `install` wrote, where one is.
    fn is_replaced(&self, is_another: bool) -> Option<Told> {
        let what = format!("the binary of `{}` is not the one that `install` wrote", self.name);
        let does = "Claude Code starts it all the same, whoever put it there";
        is_another.then(|| self.told(what, does))
    }

    /// That the binary is what `install` wrote, and is not the user's alone.
    fn can_be_changed(&self) -> Told {
        let what = format!(
            "the binary of `{}` can be changed by others, or by another name",
            self.name
        );
        self.told(what, "Claude Code starts it all the same, and it is not tried here")
    }

    fn told(&self, what: impl Into<String>, does: impl Into<String>) -> Told {
        Told::new(what, does, self.fix()).at(self.source, self.handler.place)
    }

    /// Returns whether this machine has installed the hook. In a clone the entry was there before.
    fn is_recorded(&self) -> bool {
        let mut records = self.record.iter().chain(&self.of_main);
        records.any(|record| record.binaries.contains_key(&self.name))
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

/// A binary that this machine has installed.
struct Installed {
    file: File,
    path: PathBuf,
}

impl Installed {
    fn is_executable(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.mode() & 0o111 != 0)
    }

    /// Returns whether only the user can change it, by this name or another one.
    fn is_of_user(&self) -> bool {
        let is_sound =
            |file: Metadata| file.uid() == geteuid().as_raw() && file.mode() & 0o022 == 0 && file.nlink() == 1;
        self.file.metadata().is_ok_and(is_sound)
    }

    /// Returns a path that starts it. On Linux it is that of its descriptor: what was looked at is what runs.
    fn path(&self) -> PathBuf {
        match cfg!(target_os = "linux") {
            true => format!("/proc/self/fd/{}", self.file.as_raw_fd()).into(),
            false => self.path.clone(),
        }
    }
}

/// A command, and where it is to be typed.
fn typed(command: &str, place: &Place, record: Option<&Record>) -> String {
    let options = scope::options(place);
    let folder = match record {
        Some(record) if record.workspace.is_dir() => format!("in {}", record.workspace.display()),
        _ => "in the workspace that the hook is from".to_owned(),
    };
    format!("`cargo xtask {command}{options}` {folder}")
}

/// Returns what the files of a project say of its hooks that is not so: clones get what they say.
pub(crate) fn shared(session: &Session) -> Vec<Told> {
    let mut told = Vec::new();
    for source in session.sources.iter().filter(|source| source.scope == Scope::Project) {
        let Ok(place) = Place::new(scope::kind(&source.path), &source.path, "any") else {
            continue;
        };
        if !place.is_shared() {
            continue;
        }
        let found = pinned::disagreements(&place).unwrap_or_else(|err| vec![format!("{err:#}")]);
        let does = "a clone gets hooks by these files, and not by the settings";
        let fix = format!(
            "correct the file that is wrong, or take it from git, and run `cargo xtask sync{}`",
            scope::options(&place)
        );
        told.extend(
            found
                .into_iter()
                .map(|what| Told::new(what, does, &fix).at(source, None)),
        );
    }
    told
}

/// Hooks that were installed, and that the settings do not name any more.
pub(crate) fn unnamed(session: &Session) -> Vec<Told> {
    let mut told = Vec::new();
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
                    State::Missing => format!("`{name}` was installed in this file, which is not there"),
                    _ => format!("`{name}` was installed here, and nothing here names it"),
                };
                let fix = format!(
                    "run {}; or, to be rid of it, `uninstall`",
                    typed("install", &place, Some(&record))
                );
                told.push(Told::new(what, "Claude Code does not run it", fix).at(source, None));
            }
        }
    }
    told
}

/// Tells what is wrong with installed hooks, and runs those that are plainly the user's own.
pub(crate) fn look(own: &[Own<'_>], report: &mut Report) -> Result<()> {
    let own: Vec<&Own<'_>> = own
        .iter()
        .filter(|own| own.handler.lost.is_none() && own.program.is_file())
        .collect();
    report.told.extend(twice(&own));
    let mut folders = BTreeSet::new();
    let mut sound = Vec::new();
    for own in own {
        let before = report.told.len();
        for folder in own.program.ancestors().skip(1).take(5) {
            // `bin`, the workspace's, hookkit's, the client's and the project's.
            if folders.insert(folder.to_owned()) {
                report.told.extend(unsafe_folder(own, folder));
            }
        }
        let is_recorded = own.is_recorded();
        if !is_recorded {
            let what = match own.place.notes.why_not() {
                Some(why) => format!("it is not known whether `{}` was installed here: {why}", own.name),
                None => format!("no `install` of this machine has installed `{}` here", own.name),
            };
            let does = "Claude Code starts the binary all the same, whoever put it there";
            report.told.push(own.told(what, does));
        }
        // What `install` writes anew is not tried as it is.
        report.told.extend(own.is_edited().filter(|_| is_recorded));
        let program = own.installed()?;
        report
            .told
            .extend(own.is_replaced(program.is_none()).filter(|_| is_recorded));
        // The rules tell of one that cannot be executed.
        if report.told.len() == before
            && let Some(program) = program.filter(Installed::is_executable)
        {
            match program.is_of_user() {
                true => sound.push((own, program)),
                false => report.told.push(own.can_be_changed()),
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

/// Hooks that two settings files have, or two workspaces. Their commands differ, so that they are two to the client.
fn twice(own: &[&Own<'_>]) -> Vec<Told> {
    let mut told = Vec::new();
    for (later, one) in own.iter().enumerate() {
        let root = |own: &Own<'_>| own.record.as_ref().map(|record| record.workspace.clone());
        let is_same = |other: &&&Own<'_>| {
            let is_of_both =
                other.place.workspace != one.place.workspace && other.handler.matcher == one.handler.matcher;
            other.name == one.name
                && other.handler.event == one.handler.event
                && other.program != one.program
                && (is_of_both || root(other).is_some_and(|other| root(one) == Some(other)))
        };
        let Some(other) = own[..later].iter().find(is_same) else {
            continue;
        };
        if other.place.workspace != one.place.workspace {
            let what = format!(
                "`{}` is a hook of `{}` and one of `{}`",
                one.name, other.place.workspace, one.place.workspace
            );
            let fix = format!(
                "if they are the same, turn one of them off in its workspace: `off = true` in \
                 `[workspace.metadata.hookkit.hooks.{}]`",
                one.name
            );
            let found = Told::new(what, "Claude Code runs both", fix).at(one.source, one.handler.place);
            told.push(found.beside(&other.source.path, other.handler.place).note());
            continue;
        }
        let what = format!("`{}` is installed in another settings file, too", one.name);
        let fix = format!(
            "take it out of one of them: `cargo xtask uninstall{}` and `install` what shall stay",
            scope::options(&one.place)
        );
        let found = Told::new(what, "Claude Code runs both", fix).at(one.source, one.handler.place);
        told.push(found.beside(&other.source.path, other.handler.place));
    }
    told
}

/// Compares what is installed of this workspace with what its sources become.
pub(crate) fn compare(own: &[Own<'_>], target: &Target) -> Result<Vec<Told>> {
    let workspace = Workspace::find()?;
    let toolchain = Toolchain::find(&workspace.root)?;
    let build = Build::new(&workspace, toolchain.best(), &toolchain)?;
    let all = build.definitions()?;
    let mut told = Vec::new();
    for place in target.places(&workspace.naming())? {
        installed::ours(&place, &workspace.root)?;
        // Of one that is missing there is nothing to compare, and it is told.
        let here = own.iter();
        let here = here.filter(|own| {
            own.place.folder_name() == place.folder_name()
                && own.source.path == place.settings()
                && own.program.is_file()
        });
        let here: Vec<&Own<'_>> = here.collect();
        let is_here = |hook: &&Definition| here.iter().any(|own| own.name == hook.declared.name);
        let hooks: Vec<Definition> = all.iter().filter(is_here).cloned().collect();
        if here.is_empty() {
            continue;
        }
        let built = Hooks {
            all: &all,
            definitions: &hooks,
            binaries: &build.binaries(&all, &hooks)?,
            links: &BTreeMap::new(),
            chosen: None,
            is_forced: false,
        };
        let (settings, script) = (installed::settings(&place)?, startup::file(&place).read()?);
        for (name, what) in differing(&place, settings.as_ref(), script.as_deref(), &built)? {
            let Some(own) = here.iter().find(|own| own.name == name) else {
                continue;
            };
            let does = "Claude Code runs what was installed before";
            told.push(own.told(format!("`{name}` is not up to date: {what}"), does));
        }
    }
    Ok(told)
}

/// What others may do to a folder that installed hooks are in.
fn unsafe_folder(own: &Own<'_>, folder: &Path) -> Option<Told> {
    let metadata = fs::metadata(folder).ok()?;
    let shown = folder.display();
    if metadata.uid() != geteuid().as_raw() {
        let what = format!("the folder {shown} belongs to another user (id {})", metadata.uid());
        let does = "that user can change what runs in your sessions";
        let found = Told::new(what, does, "run this as that user, or take the folder over");
        return Some(found.at(own.source, own.handler.place));
    }
    // In such a folder only a file's owner can put another in its place.
    let is_sticky = metadata.mode() & 0o1000 != 0;
    let (who, mode) = match metadata.mode() {
        _ if is_sticky => return None,
        // The rules look at the one that the file is in.
        mode if mode & 0o002 != 0 && own.program.parent() != Some(folder) => ("everybody".to_owned(), "o-w"),
        // The user's own group often has nobody else in it.
        mode if mode & 0o020 != 0 && metadata.gid() != getegid().as_raw() => {
            (format!("the group with the id {}", metadata.gid()), "g-w")
        }
        _ => return None,
    };
    let does = "they can change what runs in your sessions";
    let what = format!("{who} may write to the folder `{shown}`");
    let fix = format!("run `chmod {mode} {}`", quoted(&shown.to_string()));
    Some(Told::new(what, does, fix).at(own.source, own.handler.place))
}

/// Runs a hook on an event that it is for, and on nothing.
fn try_out(own: &Own<'_>, program: &Installed, trial: &Trial, samples: &[Sample], report: &mut Report) -> Result<()> {
    let (name, handler) = (&own.name, own.handler);
    let Some(event) = event(&handler.event) else {
        return Ok(());
    };
    let matcher = handler.matcher.as_deref().filter(|matcher| !matcher.is_empty());
    let is_of_event = |sample: &&Sample| sample.event.name == event.name;
    let sample = samples.iter().find(|sample| sample.fits(event.name, matcher));
    // A matcher may be for a server that nobody recorded; the hook has no opinion then.
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
                report.told.push(own.told(what, own.never_runs()));
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
        let told = match stdin {
            "recorded" => on_event(own, sample, &ran),
            _ => on_nothing(own, sample, &ran, blocks),
        };
        report.told.extend(told);
    }
    Ok(())
}

/// What is wrong with what a hook does on an event of its own.
fn on_event(own: &Own<'_>, sample: &Sample, ran: &Ran) -> Option<Told> {
    let (name, event) = (&own.name, sample.name());
    let stderr = String::from_utf8_lossy(&ran.stderr);
    let said = stderr.lines().next().unwrap_or_default();
    match ran.end {
        End::Exited(0 | 2) => {
            let verdict = Verdict::of(sample.event, ran);
            let dropped = verdict.dropped.iter().find(|dropped| dropped.what == "stdout")?;
            let what = format!(
                "what `{name}` answers to a recorded {event} is not used: {}",
                dropped.why
            );
            Some(own.told(what, "Claude Code goes by the exit code alone"))
        }
        End::Exited(code) => {
            // It may want something that is not in the folder where it was tried.
            let what = format!("`{name}` fails on a recorded {event}, in an empty project, with exit code {code}");
            Some(Told::new(what, said, "").note().at(own.source, own.handler.place))
        }
        End::TimedOut => {
            let what = format!("`{name}` did not come to an end on a recorded {event}");
            let does = format!("Claude Code ends it at its `timeout`, and {}", own.then());
            Some(own.told(what, does))
        }
        _ => {
            let what = format!("`{name}` crashed on a recorded {event}");
            let does = format!("Claude Code takes it for a failure, and {}", own.then());
            Some(own.told(what, does))
        }
    }
}

/// What is wrong with what a hook does where it gets no input at all.
fn on_nothing(own: &Own<'_>, sample: &Sample, ran: &Ran, blocks: bool) -> Option<Told> {
    let name = &own.name;
    let does = "what its failure means is not what was declared";
    let what = match ran.end {
        End::Exited(2) => return None,
        // `on_failure = ask`.
        End::Exited(0) if Verdict::of(sample.event, ran).action == Action::Asked => return None,
        End::Exited(1) if !blocks => return None,
        End::Exited(1) => format!("`{name}` ends with 1 on an empty input, and its entry says that a failure blocks"),
        End::Exited(code) => format!("`{name}` ends with {code} on an empty input, as if that were none of a failure"),
        End::TimedOut => format!("`{name}` did not come to an end on an empty input"),
        _ => format!("`{name}` crashed on an empty input"),
    };
    Some(own.told(what, does))
}
