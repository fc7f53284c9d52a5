//! Hooks that a session has twice: in the settings and in a plugin, or in two plugins. Claude Code (2.1.330) runs only
//! one of several equal hooks within the settings or within one plugin, but runs equal hooks from different sources.

use std::cmp::Ordering;
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
use crate::settings::code::installed::in_a_plugin_too;
use crate::settings::finding::Finding;
use crate::settings::record::Function;
use crate::terminal::{one_line, quoted, shown};

/// Maximum number of earlier hooks with the same name, event and function that are compared with a hook.
const MOST: usize = 50;

/// The position of a hook in a session: the index of the file, and of the hook in the file.
type At = (usize, usize);

/// Pairs of entries in a session that run the same hook on the same event.
#[derive(Default)]
pub(crate) struct Copies(Vec<Pair>);

/// Two entries that run the same hook. The second one is in a plugin.
struct Pair {
    one: At,
    other: At,
    /// Name of the hook.
    name: String,
    /// The ages of the two entries, compared with each other.
    ages: [Age; 2],
}

/// The age of a hook, compared with another entry.
#[derive(Clone)]
struct Age {
    /// `this`, `other`, `same` or `unknown`.
    newer: &'static str,
    /// Clause about the entry.
    says: String,
}

/// An entry of a hook, with its sources.
struct Entry<'s> {
    at: At,
    event: &'s str,
    name: &'s str,
    function: Option<Function>,
    code: Option<&'s str>,
    /// Workspace from which the hook was installed.
    workspace: Option<&'s Path>,
    plugin: Option<&'s Packaged>,
}

impl Copies {
    /// Finds the pairs in a session of a project.
    pub(crate) fn in_session(session: &Session, project: Option<&Path>) -> Self {
        if session.packaged.is_empty() { Self::default() } else { Self::of(session, &own::find(session, project)) }
    }

    /// Finds the pairs. Only entries that Claude Code runs count. Entries with different matchers can be a pair.
    pub(crate) fn of(session: &Session, own: &[Own<'_>]) -> Self {
        let entries = entries(session, own);
        let mut known: BTreeMap<[&str; 3], Vec<usize>> = BTreeMap::new();
        let mut codes: BTreeMap<&Path, Option<String>> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (number, entry) in entries.iter().enumerate() {
            let keys = entry.keys();
            let before = keys.iter().flat_map(|key| known.get(key).into_iter().flatten().take(MOST));
            let copy = before.copied().filter(|before| entries[*before].is_same(entry)).min();
            if let Some(one) = copy.map(|number| &entries[number]) {
                let mut here = |workspace| codes.entry(workspace).or_insert_with(|| code_of(workspace)).clone();
                pairs.push(Pair {
                    one: one.at,
                    other: entry.at,
                    name: entry.name.to_owned(),
                    ages: [Age::of(one, entry, &mut here), Age::of(entry, one, &mut here)],
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
        self.0.iter().any(|pair| is_of(pair.one, one) && is_of(pair.other, other))
    }

    /// Returns one finding for each pair, located at the pair's first entry.
    pub(crate) fn findings(&self, session: &Session, own: &[Own<'_>]) -> Vec<Finding> {
        let finding = |pair: &Pair| {
            let ((source, handler), (of_plugin, copy)) = (entry(session, pair.one), entry(session, pair.other));
            let settings = own.iter().find(|own| ptr::eq(own.handler, handler));
            let here = match settings {
                Some(own) => format!("`cargo xtask uninstall{}`", own.options()),
                None => removal(session, source),
            };
            let there = removal(session, of_plugin);
            let found = in_a_plugin_too(&pair.name, &of_plugin.scope, &pair.ages[0].says, here, there);
            found.at(source, handler.place).see_also(of_plugin, copy)
        };
        self.0.iter().map(finding).collect()
    }

    /// Returns the other entries that run the same hook on its event, with their ages.
    pub(crate) fn others<'s>(&self, session: &'s Session, handler: &Handler) -> Vec<Other<'s>> {
        let both = self.0.iter().flat_map(|pair| {
            let [of_one, of_other] = &pair.ages;
            [(pair.one, pair.other, of_one), (pair.other, pair.one, of_other)]
        });
        let is_of = both.filter(|(this, ..)| ptr::eq(entry(session, *this).1, handler));
        is_of.map(|(_, other, age)| Other::of(session, other, age)).collect()
    }

    /// Returns the hooks in a settings file that a plugin also has: their names and the plugin's entries.
    pub(crate) fn with<'c>(&'c self, session: &'c Session, file: &Path) -> Vec<(&'c str, Other<'c>)> {
        let is_here = |pair: &&Pair| entry(session, pair.one).0.path == file;
        let other = |pair: &'c Pair| (pair.name.as_str(), Other::of(session, pair.other, &pair.ages[0]));
        self.0.iter().filter(is_here).map(other).collect()
    }
}

/// The other entry of a hook that runs twice.
pub(crate) struct Other<'s> {
    source: &'s HookFile,
    handler: &'s Handler,
    age: Age,
}

impl<'s> Other<'s> {
    fn of(session: &'s Session, at: At, age: &Age) -> Self {
        let ((source, handler), age) = (entry(session, at), age.clone());
        Self { source, handler, age }
    }

    /// Returns a sentence about this entry.
    pub(crate) fn text(&self) -> String {
        let place = at(shown(&self.source.path).as_ref(), self.handler.place);
        format!("{place} ({}) has the same hook; {}", self.source.scope, self.age.says)
    }

    /// Describes the other plugin: its file, which of the two is newer, and how to remove it.
    pub(crate) fn plugin(&self, session: &Session) -> String {
        let Self { source, age, .. } = self;
        let path = shown(&source.path);
        format!(
            "the {} ({path}) has it, too; {}\nTo remove it there: {}",
            source.scope,
            age.says,
            removal(session, source)
        )
    }

    /// Returns this entry as JSON.
    pub(crate) fn value(&self) -> Value {
        json!({
            "scope": self.source.scope.to_string(),
            "file": self.source.path.display().to_string(),
            "line": self.handler.place.line,
            "newer": self.age.newer,
        })
    }
}

impl Age {
    /// Compares two entries. `here` returns the SHA-256 of a workspace's code.
    fn of<'s>(one: &Entry<'s>, other: &Entry<'s>, here: &mut dyn FnMut(&'s Path) -> Option<String>) -> Self {
        let age = |newer, says: &str| Self { newer, says: says.to_owned() };
        let version = |entry: &Entry<'_>| entry.function.as_ref()?.package_version.parse::<Version>().ok();
        let unknown = age("unknown", "which one is newer cannot be determined");
        let (Some(this), Some(that)) = (version(one), version(other)) else {
            return unknown;
        };
        match this.cmp(&that) {
            Ordering::Greater => return age("this", &format!("this one is newer: {this}, the other is {that}")),
            Ordering::Less => return age("other", &format!("the other one is newer: {that}, this is {this}")),
            Ordering::Equal => {}
        }
        let (Some(first), Some(second)) = (one.code, other.code) else {
            return unknown;
        };
        if first == second {
            return age("same", "both are built from the same sources");
        }
        match one.workspace.or(other.workspace).and_then(here) {
            Some(code) if code == first => {
                age("this", "this one is built from the workspace as it is now, the other is not")
            }
            Some(code) if code == second => {
                age("other", "the other one is built from the workspace as it is now, this is not")
            }
            _ => age("unknown", "they are built from different sources of the same version"),
        }
    }
}

impl Entry<'_> {
    /// Returns the keys that identify the hook. Entries of the same hook have at least one key in common.
    fn keys(&self) -> Vec<[&str; 3]> {
        let of_function = self.function.iter().map(|function| [self.event, "function", &function.path]);
        [[self.event, "name", self.name]].into_iter().chain(of_function).collect()
    }

    /// Returns `true` if both entries run the same hook, and Claude Code does not merge them.
    fn is_same(&self, later: &Self) -> bool {
        // Pairs within the settings are found by `own`.
        let are_apart = later.plugin.is_some_and(|later| self.plugin.is_none_or(|one| !ptr::eq(one, later)));
        are_apart
            && match (&self.function, &later.function) {
                (Some(one), Some(later)) => (&one.package, &one.path) == (&later.package, &later.path),
                // Installed on another machine.
                _ => self.name == later.name,
            }
    }
}

/// Returns the entries that run hookkit's hooks: first from the settings, then from plugins.
fn entries<'s>(session: &'s Session, own: &'s [Own<'_>]) -> Vec<Entry<'s>> {
    let own: BTreeMap<*const Handler, &Own<'_>> = own.iter().map(|own| (ptr::from_ref(own.handler), own)).collect();
    let mut entries = Vec::new();
    for (file, source) in session.sources.iter().enumerate() {
        for (position, handler) in source.handlers.iter().enumerate() {
            // Its matcher is not checked, because that can take long.
            let is_read = source.state == State::Read && handler.lost.is_none();
            if !is_read || session.switches.iter().any(|switch| switch.holds_for(source, handler)) {
                continue;
            }
            let entry = |name, function| Entry {
                at: (file, position),
                event: handler.event.as_str(),
                name,
                function,
                code: None,
                workspace: None,
                plugin: None,
            };
            if let Some(own) = own.get(&ptr::from_ref(handler)) {
                entries.extend(own.functions().into_iter().map(|(name, function)| Entry {
                    code: own.known().and_then(|record| record.code.as_deref()),
                    workspace: own.known().map(|record| record.workspace.as_path()),
                    ..entry(name, function.cloned())
                }));
            } else if let Some((plugin, hook)) = packages::hook(session, source, handler) {
                entries.push(Entry {
                    code: plugin.package.origin.as_ref().ok().map(|origin| origin.code.as_str()),
                    plugin: Some(plugin),
                    ..entry(&hook.declared.name, Some(Function::of(&hook.declared)))
                });
            }
        }
    }
    entries
}

fn entry(session: &Session, (file, position): At) -> (&HookFile, &Handler) {
    let source = &session.sources[file];
    (source, &source.handlers[position])
}

/// Returns the SHA-256 of the code in a workspace. `None` if the workspace is gone.
fn code_of(workspace: &Path) -> Option<String> {
    workspace.join("Cargo.toml").is_file().then(|| checkout::code(workspace).ok())?
}

/// Returns the command that removes a file's plugin, or turns it off.
pub(crate) fn removal(session: &Session, source: &HookFile) -> String {
    let path = |path: &Path| quoted(one_line(path.display()));
    match session.packaged(source).map(|plugin| (plugin.home, &*plugin.root)) {
        Some((Home::Project, root)) => {
            let name = root.file_name().map_or(root, Path::new);
            let project = root.ancestors().nth(3).unwrap_or(root);
            let (project, name) = (path(project), path(name));
            format!("`cargo xtask package --into {project} --name {name} --remove`")
        }
        Some((Home::User, root)) => format!("`rm -r {}`", path(root)),
        _ => format!("`claude plugin disable {}`", quoted(one_line(source.scope.plugin()))),
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
            function: Some(Function {
                package: "guards".to_owned(),
                package_version: version.to_owned(),
                path: "guards::guard".to_owned(),
            }),
            code: Some(code),
            workspace: workspace.map(Path::new),
            plugin: None,
        }
    }

    fn age(one: &Entry<'_>, other: &Entry<'_>) -> (&'static str, &'static str) {
        let mut here = |workspace: &Path| workspace.to_str().map(str::to_owned);
        let newer = Age::of(one, other, &mut here).newer;
        (newer, Age::of(other, one, &mut here).newer)
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
        let clauses = |one: &Entry<'_>| Age::of(one, &other, &mut |_| None).says;
        assert_eq!(
            clauses(&entry("1.0.0", "a", Some("gone"))),
            "they are built from different sources of the same version"
        );
        let unknown = "which one is newer cannot be determined";
        assert_eq!(clauses(&entry("one", "b", None)), unknown);
        for one in
            [Entry { function: None, ..entry("1.0.0", "b", None) }, Entry { code: None, ..entry("1.0.0", "b", None) }]
        {
            assert_eq!(clauses(&one), unknown);
        }
    }
}
