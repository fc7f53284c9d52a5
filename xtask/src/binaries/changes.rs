//! The changes that a new version of a pack makes to a workspace.

use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::binaries::definition::{Definition, find};
use crate::binaries::overrides::config::shown;
use crate::cargo::hookkit::CRATES_IO;
use crate::cargo::lockfile::Package;
use crate::terminal::{inform, joined, one_line};

/// A difference between two states of a workspace.
#[derive(Serialize)]
pub(crate) struct Change {
    /// `hook` or `package`.
    what: &'static str,
    name: String,
    /// `added`, `removed` or `changed`.
    change: &'static str,
    /// The changed field of the hook.
    field: Option<&'static str>,
    before: Option<String>,
    after: Option<String>,
}

impl Change {
    fn new(what: &'static str, name: &str, before: Option<String>, after: Option<String>) -> Self {
        Self {
            what,
            name: name.to_owned(),
            change: match (&before, &after) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            },
            field: None,
            before,
            after,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.change {
            "added" => '+',
            "removed" => '-',
            _ => '~',
        };
        write!(f, "  {sign} {} {}: ", self.what, self.name)?;
        if let Some(field) = self.field {
            write!(f, "{field}: ")?;
        }
        let values: Vec<&str> = [&self.before, &self.after].into_iter().flatten().map(|value| &**value).collect();
        f.write_str(&values.join(" → "))
    }
}

/// Hooks, and the packages of Cargo.lock.
type State<'s> = (&'s [Definition], &'s [Package]);

/// Returns the differences between two states of a workspace.
pub(crate) fn between((old_hooks, old): State<'_>, (new_hooks, new): State<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for hook in new_hooks {
        let name = &hook.declared.name;
        let Some(old) = find(old_hooks, name) else {
            changes.push(Change::new("hook", name, None, Some(described(hook))));
            continue;
        };
        for ((field, old), (_, new)) in fields(old).into_iter().zip(fields(hook)) {
            if old != new {
                changes.push(Change { field: Some(field), ..Change::new("hook", name, Some(old), Some(new)) });
            }
        }
    }
    for hook in old_hooks {
        let name = &hook.declared.name;
        if find(new_hooks, name).is_none() {
            changes.push(Change::new("hook", name, Some(described(hook)), None));
        }
    }
    let mut removed: Vec<&Package> = old.iter().filter(|package| !new.contains(package)).collect();
    for package in new.iter().filter(|package| !old.contains(package)) {
        let old = removed.iter().position(|old| old.name == package.name);
        let before = old.map(|old| source(removed.remove(old)));
        changes.push(Change::new("package", &package.name, before, Some(source(package))));
    }
    let removed = removed.into_iter();
    changes.extend(removed.map(|package| Change::new("package", &package.name, Some(source(package)), None)));
    changes
}

/// Returns a package's version, and its commit if there is one.
fn source(package: &Package) -> String {
    let commit = package.source.as_deref().and_then(|source| source.split_once('#'));
    match commit {
        Some((_, commit)) => format!("{} ({})", package.version, commit.get(..9).unwrap_or(commit)),
        None => package.version.to_string(),
    }
}

/// Reports code that the user has not accepted yet, before a build runs it.
///
/// The packages in the author's Cargo.lock count as accepted.
pub(crate) fn report_code<'p>(packages: impl IntoIterator<Item = &'p Package>, accepted: &[Package]) {
    let new = packages
        .into_iter()
        .filter(|package| !accepted.contains(package))
        .map(|package| one_line(format_args!("{package} (from {})", origin(package))));
    let new = joined(new, ", ");
    if !new.is_empty() {
        inform!("note: this runs code from these packages as you (build scripts, macros, and code before main): {new}");
    }
}

/// Returns the origin of a package.
fn origin(package: &Package) -> &str {
    match package.source.as_deref() {
        None => "a folder",
        Some(source) if source.ends_with(CRATES_IO) => "crates.io",
        Some(source) => source.split_once('+').map_or(source, |(_, url)| url),
    }
}

/// Describes a hook on one line: its events and its other fields.
fn described(hook: &Definition) -> String {
    let mut text = hook.subject();
    for (field, value) in fields(hook).into_iter().skip(1) {
        if value != "none" {
            let _ = write!(text, "; {field}: {value}");
        }
    }
    text
}

/// Returns a hook's declared fields, with their names in messages.
fn fields(hook: &Definition) -> [(&'static str, String); 8] {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    [
        ("called on", hook.subject()),
        ("if", or_none(hook.declared.condition.clone())),
        ("timeout", or_none(hook.declared.timeout.map(|seconds| format!("{seconds} s")))),
        ("status message", or_none(hook.declared.status_message.clone())),
        ("mode", or_none(hook.declared.mode.key().map(str::to_owned))),
        ("can replace", or_none(hook.replaces().map(str::to_owned))),
        ("configuration", or_none(hook.config.as_ref().map(|values| one_line(shown(values))))),
        ("on failure", hook.failure()),
    ]
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::*;
    use hookkit_protocol::hook::Mode;
    use serde_json::json;

    use crate::binaries::definition;
    use crate::cargo::lockfile::Lockfile;

    fn hook(name: &str) -> Definition {
        let changes =
            json!({"path": format!("acme_guards::{name}"), "package": "acme-guards", "description": "Guards."});
        definition::tests::hook(name, &changes)
    }

    fn text(changes: &[Change]) -> String {
        changes.iter().map(|change| format!("{change}\n")).collect()
    }

    fn of_hooks(before: &[Definition], after: &[Definition]) -> String {
        text(&between((before, &[]), (after, &[])))
    }

    #[test]
    fn added_and_removed_hooks_are_reported() {
        let (former, latter) = (hook("former"), hook("latter"));
        let stays = [hook("stays")];
        let with = |hook: &Definition| [&stays[..], std::slice::from_ref(hook)].concat();
        assert_eq!(
            of_hooks(&with(&former), &with(&latter)),
            "  + hook latter: PreToolUse Bash; on failure: continue\n  - hook former: PreToolUse Bash; on failure: \
             continue\n"
        );
        assert_eq!(of_hooks(&with(&former), &with(&former)), "");
    }

    #[test]
    fn each_changed_field_is_reported() {
        test_support::lines!("lines/changes.txt").check(|_, changes| {
            let mut row = json!({"path": "acme_guards::guard", "package": "acme-guards"});
            let changes: serde_json::Map<String, serde_json::Value> = serde_json::from_str(changes).expect(changes);
            row.as_object_mut().expect("an object").extend(changes);
            of_hooks(&[hook("guard")], &[definition::tests::hook("guard", &row)])
        });
    }

    #[test]
    fn a_description_has_all_fields() {
        let mut hook = hook("guard");
        hook.declared.condition = Some("Bash(git *)".to_owned());
        hook.declared.timeout = Some(5);
        hook.declared.status_message = Some("looking".to_owned());
        hook.declared.mode = Mode::Async;
        assert_eq!(
            described(&hook),
            "PreToolUse Bash; if: Bash(git *); timeout: 5 s; status message: looking; mode: async; \
             on failure: continue"
        );
    }

    #[test]
    fn added_removed_and_changed_packages_are_reported() -> Result<()> {
        let of = |packages: &[(&str, &str, &str)]| -> Result<Vec<Package>> {
            let packages = packages.iter().map(|(name, version, other)| {
                format!("[[package]]\nname = {name:?}\nversion = {version:?}\n{other}\n")
            });
            Ok(Lockfile::parse(&packages.collect::<String>())?.packages)
        };
        let git = |commit: &str| format!("source = \"git+https://example.invalid/git?branch=main#{commit}\"");
        let index = "source = \"registry+https://example.invalid/index\"";
        let before = of(&[
            ("acme-guards", "1.0.0", index),
            ("former", "0.3.0", index),
            ("git", "0.1.0", &git("0123456789abcdef")),
            ("twice", "1.0.0", index),
            ("twice", "2.0.0", index),
            // A dependency's name in the file depends on the other packages in it.
            ("same", "1.0.0", "dependencies = [\"twice 2.0.0\"]"),
        ])?;
        let after = of(&[
            ("acme-guards", "1.1.0", index),
            ("git", "0.1.0", &git("fedcba9876543210")),
            ("latter", "4.0.0", index),
            ("twice", "2.0.0", index),
            ("same", "1.0.0", "dependencies = [\"twice\"]"),
        ])?;
        assert_eq!(
            text(&between((&[], &before), (&[], &after))),
            "  ~ package acme-guards: 1.0.0 → 1.1.0\n  ~ package git: 0.1.0 (012345678) → 0.1.0 (fedcba987)\n  + \
             package latter: 4.0.0\n  - package former: 0.3.0\n  - package twice: 1.0.0\n"
        );
        Ok(())
    }
}
