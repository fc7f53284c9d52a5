//! Checks plugins written by `package`: finds missing, damaged and changed files, and the affected hooks.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::binaries::platform::Platform;
use crate::diagnose::active::plugins::{Home, Packaged};
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State};
use crate::diagnose::fields;
use crate::disk::bounded::{Deadline, SECONDS};
use crate::settings::code::{commands, plugins, reading, sessions};
use crate::settings::finding::Finding;
use crate::settings::plugin::condition::{Fault, FaultKind, Role};
use crate::settings::plugin::contents::command;
use crate::settings::plugin::parts::{PackagedHook, SUMS};
use crate::terminal::{listed, one_line, quoted};

/// Returns the plugin's hook that an entry starts, as `package` has written it.
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
    let [name] = &handler.values["args"].as_array()?[..] else {
        return None;
    };
    let hook = origin.hooks.iter().find(|hook| name == hook.declared.name.as_str())?;
    (handler.command()? == command(&origin.name)).then_some((plugin, hook))
}

/// Checks the files of all packaged plugins in a session, within a time limit.
pub(crate) fn look_in_time(session: &Arc<Session>) -> Vec<Finding> {
    let of_thread = Arc::clone(session);
    let found = Deadline::new().within(move || look(&of_thread, Platform::of_this_machine(), Deadline::half()));
    found.unwrap_or_else(|| vec![sessions::slow_plugins(SECONDS)])
}

/// Checks the files of all packaged plugins in a session, for a platform.
pub(crate) fn look(session: &Session, platform: Option<Platform>, deadline: Deadline) -> Vec<Finding> {
    let mut findings = Vec::new();
    for plugin in &session.packaged {
        let checked = Checked::new(session, plugin, platform);
        let condition = plugin.package.condition(platform, deadline);
        // All other files share one finding per kind of fault: a folder that was packaged again without its list has
        // many.
        let (others, first): (Vec<Fault>, Vec<Fault>) = condition
            .faults
            .into_iter()
            .filter(|fault| !checked.is_reported(fault))
            .partition(|fault| fault.role == Role::Other);
        findings.extend(first.iter().map(|fault| checked.describe(fault)));
        findings.extend(checked.describe_others(&others));
        if let Some(why) = condition.is_cut {
            let finding = sessions::slow_plugin(&checked.id, one_line(&why));
            findings.push(finding.in_file(&plugin.scope, &plugin.root));
        }
    }
    findings
}

/// A packaged plugin of a session whose files are checked.
struct Checked<'s> {
    session: &'s Session,
    plugin: &'s Packaged,
    platform: Option<Platform>,
    /// The plugin's id, escaped for one line.
    id: String,
    /// Hooks that Claude Code reads, and that block if they cannot start.
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
            if fields::Handler::of(handler).is_some_and(fields::Handler::blocks_on_failure) {
                guards.insert(hook.declared.name.as_str())
            } else {
                others.insert(hook.declared.name.as_str())
            };
        }
        Self { session, plugin, platform, id: plugin.scope.to_string(), others: &others - &guards, guards }
    }

    /// Returns `true` if the rules for hooks files already report the file.
    fn is_reported(&self, fault: &Fault) -> bool {
        let path = self.plugin.root.join(&fault.path);
        let mut sources = self.session.sources.iter();
        fault.kind != FaultKind::Missing
            && sources
                .any(|source| source.path == path && matches!(source.state, State::Dropped(_) | State::Unreadable(_)))
    }

    /// Sets the finding's position to a file that is restored together with the plugin.
    fn at(&self, finding: Finding, path: &str) -> Finding {
        let fix = self.restore();
        let finding = Finding { fix, ..finding };
        finding.in_file(&self.plugin.scope, &self.plugin.root.join(path))
    }

    /// Describes the fault of a file with a special purpose.
    fn describe(&self, fault: &Fault) -> Finding {
        use Role::{Hooks, Manifest, Origin, Program, Script, Sums};
        let Self { id, plugin, .. } = self;
        let file = format!("`{}` of the {id}", one_line(&fault.path));
        let what = format!("{file} {}", fault.kind.said());
        let system = self.platform.map_or("this system", Platform::name);
        let finding = match (fault.role, &fault.kind) {
            (_, FaultKind::NotPackaged) => {
                let target = self.platform.map_or("TRIPLE", Platform::target);
                let finding = plugins::no_program_for_system(id, system, target, self.unable());
                return finding.in_file(&plugin.scope, &plugin.root);
            }
            (Script | Program, FaultKind::NotExecutable) => {
                let path = plugin.root.join(&fault.path);
                let finding = commands::not_executable(file, quoted(path.display()), self.unable());
                return finding.in_file(&plugin.scope, &path);
            }
            (Manifest, FaultKind::Missing) if !plugin.is_loaded => plugins::plugin_not_loaded(self.declared(), what),
            (Manifest, FaultKind::Missing) => plugins::missing_manifest(what),
            (Hooks, FaultKind::Missing) => plugins::missing_hooks(self.declared(), what),
            (Hooks, _) => plugins::changed_hooks(what),
            (Sums, _) => plugins::missing_sums(what),
            (Origin, FaultKind::Missing) => plugins::missing_origin(what),
            (Origin, FaultKind::Unreadable(_)) => plugins::unreadable_origin(what),
            (Script | Program, FaultKind::Missing) => plugins::missing_program(what, self.unable()),
            (Program, FaultKind::OtherSystem) => plugins::program_of_another_system(file, system, self.unable()),
            (Script | Program, FaultKind::Empty | FaultKind::NotAFile("a folder")) => {
                plugins::no_program(what, self.unable())
            }
            (Script | Program, FaultKind::Unreadable(_)) => reading::unreadable_program(what),
            (Script | Program, _) => plugins::changed_program(self.read(), what),
            _ => plugins::changed_file(what),
        };
        self.at(finding, &fault.path)
    }

    /// Describes the faults of all other files, with one finding for each kind.
    fn describe_others(&self, faults: &[Fault]) -> Vec<Finding> {
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
        let mut findings = Vec::new();
        if let Some(first) = missing.first() {
            findings.push(self.at(plugins::missing_files(id, names(&missing)), first));
        }
        if let Some(first) = changed.first() {
            let what = format!("different from {SUMS} of the {id}: {}", names(&changed));
            findings.push(self.at(plugins::changed_file(what), first));
        }
        if let Some(first) = added.first() {
            let finding = plugins::added_files(id, names(&added));
            findings.push(finding.in_file(&self.plugin.scope, &self.plugin.root.join(&**first)));
        }
        findings
    }

    /// Returns the consequence of a program that cannot start.
    fn unable(&self) -> String {
        let [guards, others] = [&self.guards, &self.others].map(names);
        let nothing = match self.others.len() {
            1 => format!("{others} does nothing"),
            _ => format!("{others} do nothing"),
        };
        match (self.guards.is_empty(), self.others.is_empty()) {
            (true, true) => "its hooks could not start, but Claude Code reads none of them".to_owned(),
            (true, false) => nothing,
            (false, true) => format!("Claude Code blocks what {guards} checks, because of `onFailure`"),
            (false, false) => {
                format!("Claude Code blocks what {guards} checks, because of `onFailure`, and {nothing}")
            }
        }
    }

    /// Lists the hooks that Claude Code reads.
    fn read(&self) -> String {
        match &self.guards | &self.others {
            read if read.is_empty() => "no hook".to_owned(),
            read => names(&read),
        }
    }

    /// Lists the hooks that were packaged.
    fn declared(&self) -> String {
        let hooks = self.plugin.package.origin.iter().flat_map(|origin| &origin.hooks);
        names(&hooks.map(|hook| &hook.declared.name).collect::<Vec<_>>())
    }

    /// Returns the command that restores the plugin.
    fn restore(&self) -> String {
        let root = &self.plugin.root;
        let id = self.id.trim_start_matches("plugin ");
        let folder = |levels: usize| {
            let folder = root.ancestors().nth(levels).unwrap_or(root);
            quoted(one_line(folder.display()))
        };
        // `package` does not replace a changed folder.
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
    /// Describes the fault as the end of a sentence about the file.
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

/// Lists the first names and counts the others.
fn names<'n, S: AsRef<str> + 'n>(all: impl IntoIterator<Item = S> + Clone) -> String {
    const SHOWN: usize = 5;
    let count = all.clone().into_iter().count();
    let first = listed(all.into_iter().take(SHOWN));
    match count.saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
