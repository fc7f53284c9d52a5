//! The differences between two versions of a pack.

use std::fmt::{self, Write as _};

use serde::Serialize;

use crate::binaries::definition::Definition;
use crate::binaries::overrides::Overrides;
use crate::binaries::overrides::config::shown;
use crate::cargo::lockfile::Package;
use crate::terminal::{inform, one_line};

/// One version of a pack: the hooks and packages that the user accepts with it.
pub(crate) struct Version<'v> {
    pub(crate) hooks: &'v [Definition],
    /// The pack and all its dependencies.
    pub(crate) packages: &'v [Package],
}

/// A difference between two versions of a pack.
#[derive(Debug, Serialize)]
pub(crate) struct Change {
    /// `hook` or `package`.
    what: &'static str,
    name: String,
    /// `added`, `removed` or `changed`.
    change: &'static str,
    /// Field of the hook that changes.
    field: Option<&'static str>,
    before: Option<String>,
    after: Option<String>,
    /// `true` if the workspace's Cargo.toml overrides the field, so that the change has no effect.
    overridden: bool,
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
            overridden: false,
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
            write!(f, "{field}{} ", colon(field))?;
        }
        let values: Vec<&str> = [&self.before, &self.after]
            .into_iter()
            .flatten()
            .map(|value| &**value)
            .collect();
        f.write_str(&values.join(" → "))?;
        match self.overridden {
            true => f.write_str("; no effect: overridden in your Cargo.toml"),
            false => Ok(()),
        }
    }
}

/// Formats the differences as lines.
pub(crate) fn text(changes: &[Change]) -> String {
    changes.iter().map(|change| format!("{change}\n")).collect()
}

/// Returns the differences between two versions.
///
/// `kept` are the packages that the workspace needs in any case: the pack neither adds nor removes them.
///
/// `overrides` are the workspace's changes to hooks, which hide a pack's changes to the same options.
pub(crate) fn between(
    before: &Version<'_>,
    after: &Version<'_>,
    kept: &[Package],
    overrides: &Overrides,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for hook in after.hooks {
        let name = &hook.declared.name;
        let Some(old) = before.hooks.iter().find(|old| old.declared.name == *name) else {
            changes.push(Change::new("hook", name, None, Some(described(hook))));
            continue;
        };
        let options = overrides.options(hook);
        let has_other_events = events(old) != events(hook);
        for ((field, old), (_, new)) in fields(old).into_iter().zip(fields(hook)) {
            if old == new {
                continue;
            }
            // `called on` is the events and their matchers; an override sets only the matcher.
            let is_of_option = field != "called on" || !has_other_events;
            changes.push(Change {
                field: Some(field),
                overridden: is_of_option && options.contains(&option(field)),
                ..Change::new("hook", name, Some(old), Some(new))
            });
        }
    }
    for hook in before.hooks {
        if !after.hooks.iter().any(|new| new.declared.name == hook.declared.name) {
            changes.push(Change::new("hook", &hook.declared.name, Some(described(hook)), None));
        }
    }
    let is_in = |packages: &[Package], package: &Package| packages.contains(package);
    let added = after.packages.iter().filter(|package| !is_in(before.packages, package));
    let removed: Vec<&Package> = before
        .packages
        .iter()
        .filter(|package| !is_in(after.packages, package))
        .collect();
    let mut replaced = Vec::new();
    for package in added {
        let old = removed.iter().find(|old| old.name == package.name);
        if old.is_none() && kept.contains(package) {
            continue;
        }
        replaced.extend(old);
        let before = old.map(|old| source(old));
        changes.push(Change::new("package", &package.name, before, Some(source(package))));
    }
    for package in removed {
        if !replaced.contains(&package) && !kept.contains(package) {
            changes.push(Change::new("package", &package.name, Some(source(package)), None));
        }
    }
    changes
}

/// Returns a version, with the commit if there is one.
pub(crate) fn source(package: &Package) -> String {
    let commit = package.source.as_deref().and_then(|source| source.split_once('#'));
    match commit {
        Some((_, commit)) => format!("{} ({})", package.version, commit.get(..9).unwrap_or(commit)),
        None => package.version.to_string(),
    }
}

/// Reports, before a build, the code that it runs and the user has not accepted yet: a pack and its dependencies.
///
/// The packages in the author's Cargo.lock are accepted.
pub(crate) fn report_code(pack: &Package, closure: &[Package], accepted: &[Package]) {
    let is_new = |package: &&Package| !accepted.contains(package);
    let named = |package: &Package| one_line(&format!("{package} (from {})", origin(package))).into_owned();
    if is_new(&pack) {
        inform(format_args!(
            "note: runs code of {} as you: its build scripts, its macros, and its code before main",
            named(pack)
        ));
    }
    let others = closure.iter().filter(|package| *package != pack).filter(is_new);
    let others: Vec<String> = others.map(named).collect();
    if !others.is_empty() {
        inform(format_args!(
            "note: also runs code of its dependencies: {}",
            others.join(", ")
        ));
    }
}

/// Returns the origin of a package.
fn origin(package: &Package) -> &str {
    match package.source.as_deref() {
        None => "a folder",
        Some(source) if source.ends_with("//github.com/rust-lang/crates.io-index") => "crates.io",
        Some(source) => source.split_once('+').map_or(source, |(_, url)| url),
    }
}

/// Describes a hook on one line: its events, and its other fields.
pub(crate) fn described(hook: &Definition) -> String {
    let mut text = hook.subject();
    for (field, value) in fields(hook).into_iter().skip(1) {
        if value != "none" {
            let _ = write!(text, "; {field}{} {value}", colon(field));
        }
    }
    text
}

/// Returns the colon behind the name of a field, unless the name and its value are one sentence.
fn colon(field: &str) -> &'static str {
    if field == FAILURE { "" } else { ":" }
}

/// The name of the field with the failure policy.
const FAILURE: &str = "a failure means";

/// Returns the declared fields of a hook, by the names in messages.
fn fields(hook: &Definition) -> [(&'static str, String); 8] {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    [
        ("called on", hook.subject()),
        ("if", or_none(hook.declared.condition.clone())),
        (
            "timeout",
            or_none(hook.declared.timeout.map(|seconds| format!("{seconds} s"))),
        ),
        ("status message", or_none(hook.declared.status_message.clone())),
        ("mode", or_none(hook.declared.mode.key().map(str::to_owned))),
        ("can replace", or_none(hook.replaces().map(str::to_owned))),
        // A workspace may override only some of the values, so the author's changes are always reported.
        (
            "configuration",
            or_none(hook.config.as_ref().map(|values| one_line(&shown(values)).into_owned())),
        ),
        (FAILURE, hook.failure()),
    ]
}

fn events(hook: &Definition) -> Vec<&str> {
    hook.entries.iter().map(|entry| entry.event.as_str()).collect()
}

/// Returns the option of an override that sets the field of this name.
fn option(field: &str) -> &str {
    match field {
        "called on" => "matcher",
        "status message" => "status-message",
        FAILURE => "on-failure",
        other => other,
    }
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

    fn of_hooks(before: &[Definition], after: &[Definition]) -> String {
        let version = |hooks| Version { hooks, packages: &[] };
        text(&between(&version(before), &version(after), &[], &Overrides::default()))
    }

    #[test]
    fn added_and_removed_hooks_are_reported() {
        let (former, latter) = (hook("former"), hook("latter"));
        let stays = [hook("stays")];
        let with = |hook: &Definition| [&stays[..], std::slice::from_ref(hook)].concat();
        assert_eq!(
            of_hooks(&with(&former), &with(&latter)),
            "  + hook latter: PreToolUse Bash; a failure means continue\n  \
               - hook former: PreToolUse Bash; a failure means continue\n"
        );
        assert_eq!(of_hooks(&with(&former), &with(&former)), "");
    }

    #[test]
    fn an_overridden_change_is_reported_as_such() -> Result<()> {
        let before = hook("guard");
        let mut after = hook("guard");
        (after.declared.timeout, after.declared.condition) = (Some(5), Some("Bash(git *)".to_owned()));
        let version = |hooks| Version { hooks, packages: &[] };
        for key in ["guard", "acme-guards/guard"] {
            let tables = [(key.to_owned(), serde_json::json!({"timeout": 30, "matcher": "Bash"}))];
            let overrides = Overrides::read(&tables.into())?;
            let (before, after) = (std::slice::from_ref(&before), std::slice::from_ref(&after));
            assert_eq!(
                text(&between(&version(before), &version(after), &[], &overrides)),
                "  ~ hook guard: if: none → Bash(git *)\n  \
                   ~ hook guard: timeout: none → 5 s; no effect: overridden in your Cargo.toml\n"
            );
        }
        Ok(())
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
             a failure means continue"
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
            // The name of a dependency in the file depends on the other packages in it.
            ("same", "1.0.0", "dependencies = [\"twice 2.0.0\"]"),
            // Features that another package enables add dependencies; Cargo.lock does not separate them from the
            // pack's.
            ("kept", "0.2.0", index),
        ])?;
        let after = of(&[
            ("acme-guards", "1.1.0", index),
            ("git", "0.1.0", &git("fedcba9876543210")),
            ("latter", "4.0.0", index),
            ("twice", "2.0.0", index),
            ("same", "1.0.0", "dependencies = [\"twice\"]"),
            ("shared", "0.5.0", index),
        ])?;
        let kept = of(&[("kept", "0.2.0", index), ("shared", "0.5.0", index)])?;
        let version = |packages| Version { hooks: &[], packages };
        assert_eq!(
            text(&between(
                &version(&before),
                &version(&after),
                &kept,
                &Overrides::default()
            )),
            "  ~ package acme-guards: 1.0.0 → 1.1.0\n  \
               ~ package git: 0.1.0 (012345678) → 0.1.0 (fedcba987)\n  \
               + package latter: 4.0.0\n  \
               - package former: 0.3.0\n  \
               - package twice: 1.0.0\n"
        );
        Ok(())
    }
}
