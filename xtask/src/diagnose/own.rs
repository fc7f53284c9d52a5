//! Hooks that `install` has installed.

pub(crate) mod checks;

use std::fs::{self, File, Metadata};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::hook::Mode;
use hookkit_verdict::Verdict;
use rustix::process::geteuid;

use crate::binaries::sample::Sample;
use crate::binaries::trial::{Trial, Tried};
use crate::cargo::min_client::MinClient;
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::fields;
use crate::disk::beneath::{self, Beneath};
use crate::settings::code::installed;
use crate::settings::finding::Finding;
use crate::settings::folders::Scope;
use crate::settings::place::{Place, PlaceKind};
use crate::settings::record::{Function, Record};
use crate::settings::{pause, pinned, scope};

/// A binary installed on this machine.
struct Installed {
    file: File,
    path: PathBuf,
}

impl Installed {
    fn is_executable(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.mode() & 0o111 != 0)
    }

    /// Returns `true` if only the user can change the binary and the file has no other hard link.
    fn is_users_alone(&self) -> bool {
        let is_sound =
            |file: Metadata| file.uid() == geteuid().as_raw() && file.mode() & 0o022 == 0 && file.nlink() == 1;
        self.file.metadata().is_ok_and(is_sound)
    }

    /// Returns a path that starts the binary. On Linux this is its descriptor's path, so that exactly the checked file
    /// runs.
    fn path(&self) -> PathBuf {
        if cfg!(target_os = "linux") {
            format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
        } else {
            self.path.clone()
        }
    }
}

/// The answer of a hook.
pub(crate) enum Asked {
    /// Claude Code's reaction, and the reason for a failure.
    Answered(Box<Verdict>, Option<String>),
    /// Claude Code does not wait for the answer.
    NotAwaited,
    /// The hook is off for this period.
    Off(String),
    /// The hook is not started, for this reason.
    NotStarted(String),
}

/// An entry that `install` wrote, or that looks like one.
pub(crate) struct Own<'s> {
    /// Settings file that contains the entry.
    pub(crate) source: &'s HookFile,
    pub(super) handler: &'s Handler,
    pub(super) place: Place,
    pub(crate) name: String,
    /// Path that the command starts.
    program: PathBuf,
    /// File that `install` wrote at that path.
    binary: Beneath,
    /// The workspace's install record.
    record: Option<Record>,
    /// Install record of the main working tree, if this working tree is linked. A session takes its binaries from the
    /// main working tree.
    of_main: Option<Record>,
}

/// Returns the entries in a session that hookkit has installed, from any workspace.
pub(crate) fn find<'s>(session: &'s Session, project: Option<&Path>) -> Vec<Own<'s>> {
    let settings = session.handlers().filter(|(source, _)| !source.is_plugin());
    settings.filter_map(|(source, handler)| Own::new(source, handler, project)).collect()
}

/// Returns the hooks in other agents' files that hookkit has installed.
pub(crate) fn of_agents(session: &Session) -> Vec<Own<'_>> {
    let hooks = session.handlers_of_agents();
    hooks.filter_map(|(source, handler)| Own::new(source, handler, None)).collect()
}

impl<'s> Own<'s> {
    fn new(source: &'s HookFile, handler: &'s Handler, project: Option<&Path>) -> Option<Self> {
        let command = handler.command()?;
        let any = any(source)?;
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
            None if place.agent().is_some() => binary.path(),
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

    /// Returns the time when the hook started to record, in seconds since 1970. `None` if it does not record, or is
    /// off.
    pub(crate) fn records_since(&self) -> Option<i64> {
        let is_recording = self.known()?.records_runs && matches!(pause::of(&self.place, &self.name), Ok(None));
        // Not the modification time: after a pause, the program is moved back.
        fs::metadata(&self.program).ok().filter(|_| is_recording).map(|found| found.ctime())
    }

    /// Returns `true` if the entry is in these settings.
    pub(super) fn is_at(&self, place: &Place) -> bool {
        self.place.settings() == place.settings() && self.place.folder_name() == place.folder_name()
    }

    /// Returns the install records of this working tree, then of the main one.
    pub(super) fn records(&self) -> impl Iterator<Item = &Record> {
        self.record.iter().chain(&self.of_main)
    }

    /// Returns this working tree's install record, or the main working tree's if this linked one has none.
    pub(super) fn known(&self) -> Option<&Record> {
        self.records().next()
    }

    /// Returns the `min-client` of the entry's workspace, from this machine's install record and the project's list.
    pub(super) fn min_client(&self) -> Option<MinClient> {
        let noted = self.known().and_then(|record| record.min_client.clone());
        let listed = if self.place.is_shared() { pinned::min_client(&self.place) } else { None };
        noted.max(listed)
    }

    /// Returns the names and the recorded functions of the entry's hooks: all hooks in an order, or the hook itself.
    pub(crate) fn functions(&self) -> Vec<(&str, Option<&Function>)> {
        let record = self.known();
        match record.and_then(|record| record.orders.get(&self.name)) {
            Some(order) => order.iter().map(|(name, function)| (name.as_str(), Some(function))).collect(),
            None => vec![(&*self.name, record.and_then(|record| record.functions.get(&self.name)))],
        }
    }

    /// Returns `true` if the hook's answers can replace a tool's input or output. `None` if that is not recorded.
    pub(super) fn rewrites(&self) -> Option<bool> {
        let known = self.known()?;
        let is_known = known.links.contains_key(&self.name);
        is_known.then(|| known.rewriting.contains(&self.name))
    }

    /// Describes the edit that puts this hook and another one from its workspace into an order.
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

    /// Returns the command-line options that select the entry's settings.
    pub(super) fn options(&self) -> String {
        scope::options(&self.place)
    }

    /// Returns the command that fixes the entry and the binary.
    fn fix(&self) -> String {
        format!("run {}", typed(&self.place, self.record.as_ref()))
    }

    /// Reports a missing binary.
    pub(crate) fn is_missing(&self, does: &str) -> Option<Finding> {
        if self.program.is_dir() {
            let finding = installed::folder_for_binary(&self.name, self.program.display(), self.fix(), does);
            return Some(self.at(finding));
        }
        (!self.program.exists()).then(|| self.fixed(installed::missing_binary(&self.name, does)))
    }

    /// Returns the consequence of a program that cannot run.
    fn never_runs(&self) -> &'static str {
        fields::Handler::of(self.handler).map_or("", fields::Handler::never_runs)
    }

    /// Returns Claude Code's reaction to a failure, as a verb.
    fn then(&self) -> &'static str {
        if fields::Handler::of(self.handler).is_some_and(fields::Handler::blocks_on_failure) {
            "blocks, because of its `onFailure`"
        } else {
            "goes ahead"
        }
    }

    /// Reports an entry that was edited after `install`.
    pub(crate) fn is_edited(&self) -> Option<Finding> {
        let Handler { event, matcher, values, .. } = self.handler;
        let inserted = self.record.as_ref()?.inserted_into(self.source.document.as_ref());
        // An entry that came with a clone was written by `install` on another machine.
        let is_inserted = inserted.count(self.handler.command().unwrap_or_default()) > 0;
        if !is_inserted || inserted.has_hook(event, matcher.as_deref(), values) {
            return None;
        }
        Some(self.at(installed::changed_entry(&self.name, self.fix())))
    }

    /// Opens the binary if this machine has installed it. hookkit starts no other binary. While the hook is off, the
    /// binary has a different name.
    fn installed(&self) -> Result<Option<Installed>> {
        let is_off = pause::of(&self.place, &self.name)?.is_some();
        let binary = if is_off { pause::program(&self.place, &self.name) } else { self.binary.clone() };
        let opened = binary.parent().open().and_then(|folder| folder.open(binary.name()?));
        // `install` only writes regular files, so anything else is not its file.
        let Ok(file) = opened else { return Ok(None) };
        let mut records = self.records();
        let bytes = beneath::read(&file, &binary, beneath::MOST);
        let is_known = bytes.is_ok_and(|bytes| records.any(|record| record.knows(&self.name, &bytes)));
        // The child process is started through the descriptor's path, so it must inherit the descriptor.
        rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
        Ok(is_known.then(|| Installed { file, path: if is_off { binary.path() } else { self.program.clone() } }))
    }

    /// Sets the finding's position to this entry.
    pub(super) fn at(&self, finding: Finding) -> Finding {
        finding.at(self.source, self.handler.place)
    }

    /// Sets the finding's position to this entry, and its fix to `install`.
    pub(super) fn fixed(&self, finding: Finding) -> Finding {
        let fix = self.fix();
        self.at(Finding { fix, ..finding })
    }

    /// Returns `true` if this machine has installed the hook. A clone can have the entry before the installation.
    fn is_recorded(&self) -> bool {
        self.records().any(|record| record.binaries.contains_key(&self.name))
    }

    /// Returns `true` if this is the handler's entry.
    pub(crate) fn is_of(&self, handler: &Handler) -> bool {
        std::ptr::eq(self.handler, handler)
    }

    fn tried(&self) -> Tried<'_> {
        let values = &self.handler.values;
        let is = |mode: &Mode| mode.key().is_some_and(|key| values[key] == true);
        let mode = [Mode::AsyncRewake, Mode::Async].into_iter().find(is).unwrap_or_default();
        Tried { name: &self.name, timeout: values["timeout"].as_f64(), mode }
    }

    /// Returns the hook's name and its answer to an event. A hook that is off is run, too.
    pub(crate) fn ask(&self, trial: &Trial, sample: &Sample) -> (&str, Asked) {
        let asked = self.asked(trial, sample);
        let asked = asked.unwrap_or_else(|error| Asked::NotStarted(format!("{error:#}")));
        (&self.name, asked)
    }

    /// Runs the hook on an event.
    ///
    /// The binary is started only if this machine has installed it and no other user can change it.
    fn asked(&self, trial: &Trial, sample: &Sample) -> Result<Asked> {
        let (tried, program) = (self.tried(), self.installed()?);
        if tried.mode != Mode::Awaited {
            return Ok(Asked::NotAwaited);
        }
        let program = program.context("this machine has not installed its binary")?;
        ensure!(
            program.is_executable() && program.is_users_alone(),
            "others can change its binary, or it cannot be run; see `cargo xtask doctor`"
        );
        let (ran, _) = trial.run(&tried, &program.path(), sample)?;
        let ran = ran.blocks_in_settings(self.handler.values["onFailure"] == "block");
        let failed = ran.failure().map(|(_, why)| why);
        Ok(Asked::Answered(Box::new(Verdict::of(sample.event, &ran)), failed))
    }
}

/// Returns the location of a settings file, for any workspace, because the commands in the file contain the workspace's
/// name.
fn any(source: &HookFile) -> Option<Place> {
    let kind = match source.scope {
        Scope::Agent(agent) => {
            let mut folders = source.path.ancestors().filter(|_| agent.file.of_user.is_none());
            let project = folders.nth(agent.file.path.split('/').count()).map(Path::to_owned);
            PlaceKind::Agent { agent, project }
        }
        _ => scope::kind(&source.path),
    };
    Place::new(kind, &source.path, "any").ok()
}

/// Returns the command that reinstalls a location's hooks, and the folder in which to type it.
fn typed(place: &Place, record: Option<&Record>) -> String {
    let options = scope::options(place);
    let folder = match record {
        Some(record) if record.workspace.is_dir() => format!("in {}", record.workspace.display()),
        _ => "in the hook's workspace".to_owned(),
    };
    format!("`cargo xtask install{options}` {folder}")
}

/// Finds contradictions between a project's settings and the files from which clones install its hooks.
pub(crate) fn shared(session: &Session) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in session.sources.iter().filter(|source| source.scope == Scope::Project) {
        let Some(place) = any(source).filter(Place::is_shared) else {
            continue;
        };
        let found = pinned::disagreements(&place).unwrap_or_else(|err| vec![format!("{err:#}")]);
        let differing = |what| installed::shared_files_differ(scope::options(&place), what).at(source, None);
        findings.extend(found.into_iter().map(differing));
    }
    findings
}

/// Finds installed hooks that are no longer in the settings.
pub(crate) fn unnamed(session: &Session) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = session.sources.iter().filter(|source| {
        let is_known = matches!(source.state, State::Read | State::Missing);
        is_known && !source.is_plugin() && source.scope != Scope::Managed
    });
    for source in files {
        for place in any(source).map(|place| place.others()).unwrap_or_default() {
            let Ok(Some(record)) = Record::read(&place) else {
                continue;
            };
            let inserted = record.inserted_into(source.document.as_ref());
            let is_named = |name: &String| {
                source.handlers.iter().filter_map(Handler::command).any(|command| place.hook(command) == Some(name))
            };
            for name in record.links.keys() {
                if inserted.count(&place.command(name)) == 0 || is_named(name) {
                    continue;
                }
                let install = typed(&place, Some(&record));
                let finding = match source.state {
                    State::Missing => installed::missing_settings(name, install),
                    _ => installed::missing_entry(name, install),
                };
                findings.push(finding.at(source, None));
            }
        }
    }
    findings
}
