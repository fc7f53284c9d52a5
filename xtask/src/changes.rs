//! What would be different with another version of a pack.

use std::fmt::Write as _;

use crate::definition::{Definition, Mode, OnFailure};
use crate::lockfile::Package;

/// A pack in one version: what it asks of whoever accepts it.
pub(crate) struct Version<'v> {
    pub(crate) hooks: &'v [Definition],
    /// The pack with all that it needs.
    pub(crate) packages: &'v [Package],
}

/// Whether there are none is for the reader to see: a line each, and nothing where nothing changes.
pub(crate) fn between(before: &Version<'_>, after: &Version<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for hook in after.hooks {
        match before.hooks.iter().find(|old| old.name == hook.name) {
            None => {
                let _ = writeln!(text, "  + hook {}: {}", hook.name, described(hook));
            }
            Some(old) => {
                let changed = fields(old)
                    .into_iter()
                    .zip(fields(hook))
                    .filter(|((_, old), (_, new))| old != new);
                for ((field, old), (_, new)) in changed {
                    let _ = writeln!(text, "  ~ hook {}: {field}: {old} → {new}", hook.name);
                }
            }
        }
    }
    for hook in before.hooks {
        if !after.hooks.iter().any(|new| new.name == hook.name) {
            let _ = writeln!(text, "  - hook {}: {}", hook.name, described(hook));
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
        match removed.iter().find(|old| old.name == package.name) {
            Some(old) => {
                replaced.push(*old);
                let _ = writeln!(
                    text,
                    "  ~ package {}: {} → {}",
                    package.name,
                    source(old),
                    source(package)
                );
            }
            None => {
                let _ = writeln!(text, "  + package {}: {}", package.name, source(package));
            }
        }
    }
    for package in removed {
        if !replaced.contains(&package) {
            let _ = writeln!(text, "  - package {}: {}", package.name, source(package));
        }
    }
    text
}

/// A version, with the commit where there is one.
pub(crate) fn source(package: &Package) -> String {
    let commit = package.source.as_deref().and_then(|source| source.split_once('#'));
    match commit {
        Some((_, commit)) => format!("{} ({})", package.version, commit.get(..9).unwrap_or(commit)),
        None => package.version.to_string(),
    }
}

/// A hook on one line: on what it is called, and what its failure means.
pub(crate) fn described(hook: &Definition) -> String {
    let mut text = hook.subject();
    for (field, value) in fields(hook).into_iter().skip(1) {
        if value != "none" {
            let _ = write!(text, "; {field}: {value}");
        }
    }
    text
}

/// What is declared of a hook, in the client's words.
fn fields(hook: &Definition) -> [(&'static str, String); 6] {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
    [
        ("called on", hook.subject()),
        ("if", or_none(hook.condition.clone())),
        ("timeout", or_none(hook.timeout.map(|seconds| format!("{seconds} s")))),
        ("status message", or_none(hook.status_message.clone())),
        (
            "mode",
            or_none(hook.mode.map(|mode| match mode {
                Mode::Async => "async".to_owned(),
                Mode::AsyncRewake => "asyncRewake".to_owned(),
            })),
        ),
        (
            "a failure means",
            match hook.on_failure {
                OnFailure::Block if hook.entries.iter().any(|entry| entry.blocks_in_settings) => {
                    "block, even where it cannot be started".to_owned()
                }
                OnFailure::Block => "block".to_owned(),
                OnFailure::Continue => "continue".to_owned(),
            },
        ),
    ]
}
