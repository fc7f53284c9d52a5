//! Hooks that a session has twice: in the settings and in a plugin, or in two plugins. Claude Code (2.1.330) joins equal hooks
//! of the settings, and of one plugin, and runs all others.

use std::collections::BTreeMap;
use std::path::Path;
use std::ptr;

use semver::Version;
use serde_json::{Value, json};

use crate::cargo::checkout;
use crate::diagnose::active::plugins::{Home, Packaged};
use crate::diagnose::active::session::Session;
use crate::diagnose::active::source::{Handler, HookFile, State, at};
use crate::diagnose::own::{self, Own};
use crate::diagnose::packages;
use crate::diagnose::report::Diagnostic;
use crate::settings::code::Code;
use crate::settings::record::Function;
use crate::terminal::{one_line, quoted, shown};

/// The most earlier hooks of the same name, event and function that are compared with one.
const MOST: usize = 50;

/// The position of a hook in a session: that of its file, and its own in it.
type At = (usize, usize);

/// The pairs of entries in a session that run the same hook on the same event.
#[derive(Default)]
pub(crate) struct Copies(Vec<Pair>);

/// Two entries that run the same hook. The second one is a plugin's.
struct Pair {
    one: At,
    other: At,
    /// Name of the hook.
    name: String,
    age: Age,
}

/// The age of the hooks of two entries, compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Age {
    /// The versions of the hook's package, of the first and of the second entry.
    Versions(Version, Version),
    /// The first one is of the sources in the workspace.
    FirstIsCurrent,
    SecondIsCurrent,
    SameSources,
    /// Both are of the same version, and of different sources.
    OtherSources,
    Unknown,
}

/// The function that a hook is, and the version of its package.
#[derive(Clone, Copy)]
struct Declared<'s> {
    package: &'s str,
    path: &'s str,
    version: &'s str,
}

/// An entry of a hook, with what is known of its sources.
struct Entry<'s> {
    at: At,
    event: &'s str,
    name: &'s str,
    function: Option<Declared<'s>>,
    code: Option<&'s str>,
    /// Workspace that it was installed from.
    workspace: Option<&'s Path>,
    plugin: Option<&'s Packaged>,
}

impl Copies {
    /// Finds those of a session in a project.
    pub(crate) fn in_session(session: &Session, project: Option<&Path>) -> Self {
        match session.packaged.is_empty() {
            true => Self::default(),
            false => Self::of(session, &own::find(session, project)),
        }
    }

    /// Finds them. Only entries that Claude Code runs count, and those that only differ in their matchers do, too.
    pub(crate) fn of(session: &Session, own: &[Own<'_>]) -> Self {
        let entries = entries(session, own);
        let mut known: BTreeMap<[&str; 3], Vec<usize>> = BTreeMap::new();
        let mut codes: BTreeMap<&Path, Option<String>> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let keys = entry.keys();
            let before = keys
                .iter()
                .flat_map(|key| known.get(key).into_iter().flatten().take(MOST));
            let copy = before
                .map(|number| &entries[*number])
                .filter(|before| before.is_same(entry))
                .min_by_key(|before| before.at);
            if let Some(one) = copy {
                let mut here = |workspace| {
                    let code = codes.entry(workspace).or_insert_with(|| code_of(workspace));
                    code.clone()
                };
                pairs.push(Pair {
                    one: one.at,
                    other: entry.at,
                    name: entry.name.to_owned(),
                    age: Age::of(one, entry, &mut here),
                });
            }
            for key in keys {
                known.entry(key).or_default().push(number);
            }
        }
        Self(pairs)
    }

    /// Returns `true` if two entries of a session run the same hook.
    pub(crate) fn are_same(&self, session: &Session, one: &Handler, other: &Handler) -> bool {
        let is_of = |at: At, handler: &Handler| ptr::eq(entry(session, at).1, handler);
        let mut pairs = self.0.iter();
        pairs.any(|pair| is_of(pair.one, one) && is_of(pair.other, other))
    }

    /// Returns the findings, each at the first entry.
    pub(crate) fn findings(&self, session: &Session, own: &[Own<'_>]) -> Vec<Diagnostic> {
        let finding = |pair: &Pair| {
            let ((source, handler), (of_plugin, copy)) = (entry(session, pair.one), entry(session, pair.other));
            let what = format!("`{}` is also in the {}", pair.name, of_plugin.scope);
            let does = format!("Claude Code runs both; {}", pair.age.of_first());
            let settings = own.iter().find(|own| ptr::eq(own.handler, handler));
            let here = match settings {
                Some(own) => format!("`cargo xtask uninstall{}`", own.options()),
                None => removal(session, source),
            };
            let fix = format!("remove one of them: {here}, or {}", removal(session, of_plugin));
            let found = Diagnostic::new(Code::InstalledTwice, what, does, fix).at(source, handler.place);
            found.see_also(&of_plugin.path, copy.place)
        };
        self.0.iter().map(finding).collect()
    }

    /// Returns the other entries that run the same hook as this one on its event, and how old they are.
    pub(crate) fn others<'s>(&self, session: &'s Session, handler: &Handler) -> Vec<Other<'s>> {
        let mut others = Vec::new();
        if self.0.is_empty() {
            return others;
        }
        let place = |(file, source): (usize, &HookFile)| {
            let mut handlers = source.handlers.iter();
            Some((file, handlers.position(|of_file| ptr::eq(of_file, handler))?))
        };
        let this = session.sources.iter().enumerate().find_map(place);
        for pair in &self.0 {
            let (at, age) = match this {
                Some(this) if this == pair.one => (pair.other, pair.age.clone()),
                Some(this) if this == pair.other => (pair.one, pair.age.reversed()),
                _ => continue,
            };
            let (source, handler) = entry(session, at);
            others.push(Other { source, handler, age });
        }
        others
    }

    /// Returns the hooks of a settings file that a plugin has, too: each name with the plugin's entry.
    pub(crate) fn with<'c>(&'c self, session: &'c Session, file: &Path) -> Vec<(&'c str, Other<'c>)> {
        let is_here = |pair: &&Pair| entry(session, pair.one).0.path == file;
        let other = |pair: &'c Pair| {
            let (source, handler) = entry(session, pair.other);
            let age = pair.age.clone();
            (pair.name.as_str(), Other { source, handler, age })
        };
        self.0.iter().filter(is_here).map(other).collect()
    }
}

/// The other entry of a hook that runs twice.
pub(crate) struct Other<'s> {
    source: &'s HookFile,
    handler: &'s Handler,
    age: Age,
}

impl Other<'_> {
    /// Returns a sentence for people.
    pub(crate) fn text(&self) -> String {
        let place = at(shown(&self.source.path).as_ref(), self.handler.place);
        format!(
            "{place} ({}) has the same hook; {}",
            self.source.scope,
            self.age.of_first()
        )
    }

    /// Returns the plugin that has it, with its file, and which of the two is newer.
    pub(crate) fn plugin(&self, session: &Session) -> String {
        let Self { source, age, .. } = self;
        let path = shown(&source.path);
        format!(
            "the {} ({path}) has it, too; {}\nTo remove it there: {}",
            source.scope,
            age.of_first(),
            removal(session, source)
        )
    }

    /// Returns a value for programs.
    pub(crate) fn value(&self) -> Value {
        json!({
            "scope": self.source.scope.to_string(),
            "file": self.source.path.display().to_string(),
            "line": self.handler.place.line,
            "newer": self.age.word(),
        })
    }
}

impl Age {
    /// Compares two entries. `here` returns the SHA-256 of the code in a workspace.
    fn of<'s>(one: &Entry<'s>, other: &Entry<'s>, here: &mut dyn FnMut(&'s Path) -> Option<String>) -> Self {
        let version = |entry: &Entry<'_>| entry.function?.version.parse::<Version>().ok();
        match (version(one), version(other)) {
            (Some(one), Some(other)) if one != other => return Self::Versions(one, other),
            (Some(_), Some(_)) => {}
            _ => return Self::Unknown,
        }
        let (Some(first), Some(second)) = (one.code, other.code) else {
            return Self::Unknown;
        };
        if first == second {
            return Self::SameSources;
        }
        match one.workspace.or(other.workspace).and_then(here) {
            Some(code) if code == first => Self::FirstIsCurrent,
            Some(code) if code == second => Self::SecondIsCurrent,
            _ => Self::OtherSources,
        }
    }

    fn reversed(&self) -> Self {
        match self {
            Self::Versions(one, other) => Self::Versions(other.clone(), one.clone()),
            Self::FirstIsCurrent => Self::SecondIsCurrent,
            Self::SecondIsCurrent => Self::FirstIsCurrent,
            other => other.clone(),
        }
    }

    /// Returns a clause about the first entry.
    fn of_first(&self) -> String {
        match self {
            Self::Versions(one, other) if one > other => format!("this one is newer: {one}, the other is {other}"),
            Self::Versions(one, other) => format!("the other one is newer: {other}, this is {one}"),
            Self::FirstIsCurrent => "this one is built from the workspace as it is now, the other is not".to_owned(),
            Self::SecondIsCurrent => "the other one is built from the workspace as it is now, this is not".to_owned(),
            Self::SameSources => "both are built from the same sources".to_owned(),
            Self::OtherSources => "they are built from different sources of the same version".to_owned(),
            Self::Unknown => "it is not known which one is newer".to_owned(),
        }
    }

    /// Returns the word for the entry that is newer.
    fn word(&self) -> &'static str {
        match self {
            Self::Versions(one, other) if one > other => "this",
            Self::Versions(..) | Self::SecondIsCurrent => "other",
            Self::FirstIsCurrent => "this",
            Self::SameSources => "same",
            Self::OtherSources | Self::Unknown => "unknown",
        }
    }
}

impl<'s> Entry<'s> {
    /// Returns the keys of which the same hook has one.
    fn keys(&self) -> Vec<[&'s str; 3]> {
        let of_function = self.function.map(|function| [self.event, "function", function.path]);
        [[self.event, "name", self.name]]
            .into_iter()
            .chain(of_function)
            .collect()
    }

    /// Returns `true` if both run the same hook, and Claude Code does not join them.
    fn is_same(&self, later: &Self) -> bool {
        let are_apart = match (self.plugin, later.plugin) {
            (one, Some(later)) => one.is_none_or(|one| !ptr::eq(one, later)),
            // Two entries of the settings: `own` compares those.
            _ => false,
        };
        are_apart
            && match (self.function, later.function) {
                (Some(one), Some(later)) => (one.package, one.path) == (later.package, later.path),
                // Installed by an older release, or by another machine.
                _ => self.name == later.name,
            }
    }
}

/// Returns the entries of hookkit's hooks that run, those of the settings before those of plugins.
fn entries<'s>(session: &'s Session, own: &'s [Own<'_>]) -> Vec<Entry<'s>> {
    let own: BTreeMap<*const Handler, &Own<'_>> = own.iter().map(|own| (ptr::from_ref(own.handler), own)).collect();
    let mut entries = Vec::new();
    for (file, source) in session.sources.iter().enumerate() {
        for (position, handler) in source.handlers.iter().enumerate() {
            let (at, event) = ((file, position), handler.event.as_str());
            let of_handler = match (
                own.get(&ptr::from_ref(handler)),
                packages::hook(session, source, handler),
            ) {
                (Some(own), _) => own
                    .functions()
                    .into_iter()
                    .map(|(name, function)| Entry {
                        at,
                        event,
                        name,
                        function: function.map(of_record),
                        code: own.known().and_then(|record| record.code.as_deref()),
                        workspace: own.known().map(|record| record.workspace.as_path()),
                        plugin: None,
                    })
                    .collect(),
                (None, Some((plugin, hook))) => vec![Entry {
                    at,
                    event,
                    name: &hook.declared.name,
                    function: Some(Declared {
                        package: &hook.declared.package,
                        path: &hook.declared.path,
                        version: &hook.declared.package_version,
                    }),
                    code: plugin.package.origin.as_ref().ok().map(|origin| origin.code.as_str()),
                    workspace: None,
                    plugin: Some(plugin),
                }],
                (None, None) => continue,
            };
            if is_read(session, source, handler) {
                entries.extend(of_handler);
            }
        }
    }
    entries
}

fn of_record(function: &Function) -> Declared<'_> {
    Declared {
        package: &function.package,
        path: &function.path,
        version: &function.package_version,
    }
}

/// Returns `true` if Claude Code reads an entry. Its matcher is not looked at: that can take long.
fn is_read(session: &Session, source: &HookFile, handler: &Handler) -> bool {
    let mut switches = session.switches.iter();
    source.state == State::Read && handler.lost.is_none() && !switches.any(|switch| switch.holds_for(source, handler))
}

fn entry(session: &Session, (file, position): At) -> (&HookFile, &Handler) {
    let source = &session.sources[file];
    (source, &source.handlers[position])
}

/// Returns the SHA-256 of the code of a workspace that hooks were installed from, if it is still there.
fn code_of(workspace: &Path) -> Option<String> {
    workspace
        .join("Cargo.toml")
        .is_file()
        .then(|| checkout::code(workspace).ok())?
}

/// Returns the command that removes the plugin of a file, or turns it off.
pub(crate) fn removal(session: &Session, source: &HookFile) -> String {
    let id = source.scope.to_string();
    let id = quoted(id.trim_start_matches("plugin "));
    let path = |path: &Path| quoted(&one_line(&path.display().to_string()));
    match session.packaged(source) {
        Some(Packaged {
            home: Home::Project,
            root,
            ..
        }) => {
            let name = root.file_name().map(Path::new).unwrap_or(root);
            let project = root.ancestors().nth(3).unwrap_or(root);
            let (project, name) = (path(project), path(name));
            format!("`cargo xtask package --into {project} --name {name} --remove`")
        }
        Some(Packaged {
            home: Home::User, root, ..
        }) => format!("`rm -r {}`", path(root)),
        _ => format!("`claude plugin disable {id}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'s>(version: &'s str, code: &'s str, workspace: Option<&'s str>) -> Entry<'s> {
        Entry {
            at: (0, 0),
            event: "Stop",
            name: "guard",
            function: Some(Declared {
                package: "guards",
                path: "guards::guard",
                version,
            }),
            code: Some(code),
            workspace: workspace.map(Path::new),
            plugin: None,
        }
    }

    fn age(one: &Entry<'_>, other: &Entry<'_>) -> (&'static str, &'static str) {
        let mut here = |workspace: &Path| workspace.to_str().map(str::to_owned);
        let age = Age::of(one, other, &mut here);
        (age.word(), age.reversed().word())
    }

    #[test]
    fn the_higher_version_is_newer() {
        let old = entry("1.9.0", "a", Some("a"));
        assert_eq!(age(&old, &entry("1.10.0", "a", None)), ("other", "this"));
        assert_eq!(age(&old, &entry("1.9.0-beta", "a", None)), ("this", "other"));
    }

    #[test]
    fn of_one_version_the_code_of_the_workspace_is_newer() {
        let other = entry("1.0.0", "b", None);
        assert_eq!(age(&entry("1.0.0", "a", Some("a")), &other), ("this", "other"));
        assert_eq!(age(&entry("1.0.0", "a", Some("b")), &other), ("other", "this"));
        assert_eq!(age(&entry("1.0.0", "b", Some("c")), &other), ("same", "same"));
    }

    #[test]
    fn sources_that_are_not_known_are_not_compared() {
        let other = entry("1.0.0", "b", None);
        let clauses = |one: &Entry<'_>| Age::of(one, &other, &mut |_| None).of_first();
        assert_eq!(
            clauses(&entry("1.0.0", "a", Some("gone"))),
            "they are built from different sources of the same version"
        );
        let unknown = "it is not known which one is newer";
        assert_eq!(clauses(&entry("one", "b", None)), unknown);
        for one in [
            Entry {
                function: None,
                ..entry("1.0.0", "b", None)
            },
            Entry {
                code: None,
                ..entry("1.0.0", "b", None)
            },
        ] {
            assert_eq!(clauses(&one), unknown);
        }
    }
}
