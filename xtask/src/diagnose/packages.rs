//! Plugins that `package` has made: files that are missing, damaged or changed, and the hooks that it concerns.

use std::collections::BTreeSet;
use std::sync::Arc;

use hookkit_protocol::event::event;

use crate::binaries::platform::Platform;
use crate::diagnose::active::plugins::{Home, Packaged};
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::fields;
use crate::diagnose::report::Diagnostic;
use crate::disk::bounded::{self, Deadline};
use crate::settings::code::Code;
use crate::settings::plugin::condition::{Fault, FaultKind, Role};
use crate::settings::plugin::contents::command;
use crate::settings::plugin::parts::{PackagedHook, SUMS};
use crate::terminal::{listed, one_line, quoted};

/// Returns the hook of a plugin that an entry of it starts, as `package` writes entries.
pub(crate) fn hook<'s>(
    session: &'s Session,
    source: &HookFile,
    handler: &Handler,
) -> Option<(&'s Packaged, &'s PackagedHook)> {
    if !source.is_plugin() {
        return None;
    }
    let plugin = session.packaged(source)?;
    let origin = plugin.package.origin.as_ref().ok()?;
    let [name] = &handler.values.get("args")?.as_array()?[..] else {
        return None;
    };
    let mut hooks = origin.hooks.iter();
    let hook = hooks.find(|hook| name == hook.declared.name.as_str())?;
    (handler.command()? == command(&origin.name)).then_some((plugin, hook))
}

/// Checks the files of all packaged plugins of a session, within the time limit.
pub(crate) fn look_in_time(session: &Arc<Session>) -> Vec<Diagnostic> {
    if session.packaged.is_empty() {
        return Vec::new();
    }
    let of_thread = Arc::clone(session);
    let found = Deadline::new().within(move || look(&of_thread, Platform::of_this_machine(), Deadline::half()));
    found.unwrap_or_else(|| {
        let what = format!(
            "checking the files of plugins takes longer than {} s",
            bounded::TIME.as_secs()
        );
        let does = "they were not compared with their SHA256SUMS";
        vec![Diagnostic::new(Code::SlowCheck, what, does, "").note()]
    })
}

/// Checks the files of all packaged plugins of a session, for a system.
pub(crate) fn look(session: &Session, platform: Option<Platform>, deadline: Deadline) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for plugin in &session.packaged {
        let checked = Checked::new(session, plugin, platform);
        let condition = plugin.package.condition(platform, deadline);
        // Other files are one finding for each kind of fault: a folder that was packaged anew without its list has many.
        let (others, first): (Vec<Fault>, Vec<Fault>) = condition
            .faults
            .into_iter()
            .filter(|fault| !checked.is_reported(fault))
            .partition(|fault| fault.role == Role::Other);
        diagnostics.extend(first.iter().map(|fault| checked.describe(fault)));
        diagnostics.extend(checked.describe_others(&others));
        if let Some(why) = condition.is_cut {
            let what = format!(
                "not all files of the plugin {} were checked: {}",
                checked.id,
                one_line(&why)
            );
            let does = "the others were not compared with its SHA256SUMS";
            diagnostics.push(checked.at(Diagnostic::new(Code::SlowCheck, what, does, "").note(), ""));
        }
    }
    diagnostics
}

/// A packaged plugin of a session, while its files are checked.
struct Checked<'s> {
    session: &'s Session,
    plugin: &'s Packaged,
    platform: Option<Platform>,
    /// Its id, in a line.
    id: String,
    /// Hooks that Claude Code reads, with which it blocks when they cannot start.
    guards: BTreeSet<&'s str>,
    others: BTreeSet<&'s str>,
}

impl<'s> Checked<'s> {
    fn new(session: &'s Session, plugin: &'s Packaged, platform: Option<Platform>) -> Self {
        let (mut guards, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (source, handler) in session.handlers() {
            let Some((of, hook)) = hook(session, source, handler) else {
                continue;
            };
            if !std::ptr::eq(of, plugin) || source.state != State::Read {
                continue;
            }
            match blocks(handler) {
                true => guards.insert(hook.declared.name.as_str()),
                false => others.insert(hook.declared.name.as_str()),
            };
        }
        Self {
            session,
            plugin,
            platform,
            id: plugin.scope.to_string(),
            others: &others - &guards,
            guards,
        }
    }

    /// Returns `true` if the file has a finding by the rules for all files with hooks.
    fn is_reported(&self, fault: &Fault) -> bool {
        let path = self.plugin.root.join(&fault.path);
        let mut sources = self.session.sources.iter();
        fault.kind != FaultKind::Missing
            && sources
                .any(|source| source.path == path && matches!(source.state, State::Dropped(_) | State::Unreadable(_)))
    }

    fn at(&self, diagnostic: Diagnostic, path: &str) -> Diagnostic {
        let root = &self.plugin.root;
        let file = match path.is_empty() {
            true => root.clone(),
            false => root.join(path),
        };
        diagnostic.in_file(&self.plugin.scope, file)
    }

    /// Describes the fault of a file that has a purpose of its own.
    fn describe(&self, fault: &Fault) -> Diagnostic {
        use Role::{Hooks, Manifest, Origin, Program, Script, Sums};
        let Self { id, .. } = self;
        let file = format!("`{}` of the {id}", one_line(&fault.path));
        let system = self.platform.map_or("this system", Platform::name);
        let new = |code: Code, what: String, does: String| Diagnostic::new(code, what, does, self.restore());
        let diagnostic = match (fault.role, &fault.kind) {
            (_, FaultKind::NotPackaged) => {
                let what = format!("the {id} has no program for this system, {system}");
                let target = self.platform.map_or("TRIPLE", Platform::target);
                let fix = format!("package it again with `--target {target}`, and update the plugin");
                return self.at(
                    Diagnostic::new(Code::NoProgramForSystem, what, self.unable(), fix).error(),
                    "",
                );
            }
            (Manifest, FaultKind::Missing) if !self.plugin.is_loaded => new(
                Code::PluginNotLoaded,
                format!("{file} is missing"),
                format!(
                    "Claude Code does not load the plugin, and runs none of its hooks: {}",
                    self.declared()
                ),
            )
            .error(),
            (Script | Program, FaultKind::Missing) => {
                new(Code::MissingPluginFile, format!("{file} is missing"), self.unable()).error()
            }
            (Hooks, FaultKind::Missing) => new(
                Code::MissingPluginFile,
                format!("{file} is missing"),
                format!("Claude Code runs none of its hooks: {}", self.declared()),
            )
            .error(),
            (Manifest, FaultKind::Missing) => new(
                Code::MissingPluginFile,
                format!("{file} is missing"),
                "Claude Code knows no version of the plugin, so it cannot tell an update".to_owned(),
            ),
            (Sums, _) => new(
                Code::MissingSums,
                format!("{file} {}", fault.kind.said()),
                "`doctor` cannot check that the plugin's files are those that were packaged".to_owned(),
            ),
            (Origin, FaultKind::Missing) => new(
                Code::MissingPluginFile,
                format!("{file} is missing"),
                "Claude Code does not need it, but `list` and `doctor` do not know the plugin's hooks".to_owned(),
            ),
            (Origin, FaultKind::Unreadable(_)) => new(
                Code::ChangedPluginFile,
                format!("{file} {}", fault.kind.said()),
                "Claude Code does not need it, but `list` and `doctor` do not know the plugin's hooks".to_owned(),
            ),
            (Script | Program, FaultKind::NotExecutable) => {
                let path = self.plugin.root.join(&fault.path);
                let fix = format!("run `chmod +x {}`", quoted(&path.display().to_string()));
                Diagnostic::new(
                    Code::NotExecutable,
                    format!("{file} is not executable"),
                    self.unable(),
                    fix,
                )
            }
            (Program, FaultKind::OtherSystem) => new(
                Code::ProgramOfAnotherSystem,
                format!("{file} is not a program for this system, {system}"),
                self.unable(),
            )
            .error(),
            (Script | Program, FaultKind::Empty | FaultKind::NotAFile("a folder")) => new(
                Code::ChangedPluginFile,
                format!("{file} {}", fault.kind.said()),
                self.unable(),
            )
            .error(),
            (Script | Program, FaultKind::Unreadable(_)) => new(
                Code::UnreadableFile,
                format!("{file} {}", fault.kind.said()),
                "it is not known whether it is the one that was packaged".to_owned(),
            ),
            (Script | Program, _) => new(
                Code::ChangedPluginFile,
                format!("{file} {}", fault.kind.said()),
                format!("Claude Code still starts it, for {}", self.read()),
            )
            .error(),
            (Hooks, _) => new(
                Code::ChangedPluginFile,
                format!("{file} {}", fault.kind.said()),
                "Claude Code uses its entries as they are now".to_owned(),
            ),
            _ => new(
                Code::ChangedPluginFile,
                format!("{file} {}", fault.kind.said()),
                "the plugin is not the one that was packaged".to_owned(),
            ),
        };
        self.at(diagnostic, &fault.path)
    }

    /// Describes the faults of all other files, one finding for each kind of them.
    fn describe_others(&self, faults: &[Fault]) -> Vec<Diagnostic> {
        let id = &self.id;
        let (mut missing, mut added, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for fault in faults {
            let path = one_line(&fault.path);
            match fault.kind {
                FaultKind::Missing => missing.push(path),
                FaultKind::Added => added.push(path),
                _ => changed.push(path),
            }
        }
        let mut diagnostics = Vec::new();
        if let Some(first) = missing.first() {
            let what = format!("missing in the {id}: {}", names(&missing));
            let does = "a program that is missing is one for another system, on which the hooks cannot start";
            let found = Diagnostic::new(Code::MissingPluginFile, what, does, self.restore());
            diagnostics.push(self.at(found, first));
        }
        if let Some(first) = changed.first() {
            let what = format!("not as in {SUMS} of the {id}: {}", names(&changed));
            let does = "the plugin is not the one that was packaged";
            let found = Diagnostic::new(Code::ChangedPluginFile, what, does, self.restore());
            diagnostics.push(self.at(found, first));
        }
        if let Some(first) = added.first() {
            let what = format!("not in {SUMS} of the {id}: {}", names(&added));
            let does = "Claude Code also reads commands, agents, skills and MCP servers that are added to a plugin";
            let fix = "remove what is not yours, or package the plugin again";
            diagnostics.push(self.at(Diagnostic::new(Code::AddedPluginFile, what, does, fix), first));
        }
        diagnostics
    }

    /// Returns the consequence of a program that cannot start.
    fn unable(&self) -> String {
        let [guards, others] = [&self.guards, &self.others].map(names);
        let nothing = match self.others.len() {
            1 => format!("{others} does nothing"),
            _ => format!("{others} do nothing"),
        };
        match (self.guards.is_empty(), self.others.is_empty()) {
            (true, true) => "Claude Code reads none of its hooks, which could not start".to_owned(),
            (true, false) => nothing,
            (false, true) => format!("Claude Code blocks what {guards} checks, because of `onFailure`"),
            (false, false) => {
                format!("Claude Code blocks what {guards} checks, because of `onFailure`, and {nothing}")
            }
        }
    }

    /// Returns the names of the hooks that Claude Code reads.
    fn read(&self) -> String {
        match &self.guards | &self.others {
            read if read.is_empty() => "no hook".to_owned(),
            read => names(&read),
        }
    }

    /// Returns the names of the hooks that were packaged.
    fn declared(&self) -> String {
        let hooks = self.plugin.package.origin.iter().flat_map(|origin| &origin.hooks);
        names(&hooks.map(|hook| &hook.declared.name).collect::<Vec<_>>())
    }

    /// Returns the command that makes the plugin whole again.
    fn restore(&self) -> String {
        let root = &self.plugin.root;
        let id = self.id.trim_start_matches("plugin ");
        let folder = |levels: usize| {
            let folder = root.ancestors().nth(levels).unwrap_or(root);
            quoted(&one_line(&folder.display().to_string()))
        };
        // `package` does not replace a folder that has changed.
        let again = |option: &str, levels: usize| {
            format!(
                "restore it from git, or remove {} and package the plugin again: `cargo xtask package {option} {}`",
                folder(0),
                folder(levels)
            )
        };
        match self.plugin.home {
            Home::Project => again("--into", 3),
            Home::Marketplace => again("--out", 1),
            Home::User => format!("replace {} with the plugin as it was packaged", folder(0)),
            Home::Copy => {
                let id = quoted(id);
                format!("install the plugin again: `claude plugin uninstall {id}`, then `claude plugin install {id}`")
            }
        }
    }
}

impl FaultKind {
    /// Returns the fault as the end of a sentence about the file.
    fn said(&self) -> String {
        match self {
            Self::Missing | Self::NotPackaged => "is missing".to_owned(),
            Self::NotAFile(what) => format!("is {what}"),
            Self::NotExecutable => "is not executable".to_owned(),
            Self::Empty => "is empty".to_owned(),
            Self::OtherSystem => "is a program for another system".to_owned(),
            Self::Changed => format!("differs from {SUMS}"),
            Self::Added => format!("is not in {SUMS}"),
            Self::Unreadable(why) => format!("cannot be read: {}", one_line(why)),
        }
    }
}

/// Returns `true` if Claude Code blocks when the hook of an entry cannot start.
fn blocks(handler: &Handler) -> bool {
    let as_rules_take_it = || {
        Some(fields::Handler {
            event: event(&handler.event)?,
            matcher: handler.matcher.as_deref(),
            fields: handler.values.as_object()?,
        })
    };
    as_rules_take_it().is_some_and(fields::Handler::blocks_on_failure)
}

/// Lists the first names of many.
fn names<'n, S: AsRef<str> + 'n>(all: impl IntoIterator<Item = S> + Clone) -> String {
    const SHOWN: usize = 5;
    let count = all.clone().into_iter().count();
    let first = listed(all.into_iter().take(SHOWN));
    match count.saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
