//! Packs that a workspace depends on but does not list, for example after `cargo add`.

use std::fmt;

use crate::cargo::lockfile::Lockfile;
use crate::cargo::metadata::{HOOKKIT, Metadata, NOWHERE, Package, XTASK};

/// A dependency with hooks that is not in `packs`.
pub(crate) struct Unnamed {
    package: String,
    /// Path of the Cargo.toml with the dependency, relative to the workspace's root.
    manifest: String,
}

/// Returns the dependencies that can only be meant for their hooks: those of xtask, and those for no platform.
///
/// Other packages of the workspace have dependencies for their own code, which need not be packs.
pub(crate) fn find(metadata: &Metadata, named: &[String], lock: Option<&Lockfile>) -> Vec<Unnamed> {
    let has_hooks = |name: &str| {
        let mut locked = lock.into_iter().flat_map(|lock| lock.named(name).map(move |package| (lock, package)));
        locked.any(|(lock, package)| lock.dependencies(package).any(|needed| needed.name == HOOKKIT))
    };
    let mut unnamed = Vec::new();
    for holder in &metadata.packages {
        let is_xtask = holder.dependency(XTASK).is_some();
        for name in holder.dependencies.iter().map(|dependency| &dependency.name) {
            let Some(dependency) = holder.dependency(name) else {
                continue;
            };
            let is_for_hooks = is_xtask || dependency.target.as_deref() == Some(NOWHERE);
            let is_known =
                [HOOKKIT, XTASK].contains(&&**name) || named.contains(name) || metadata.package(name).is_some();
            if is_for_hooks && !is_known && has_hooks(name) {
                unnamed.push(Unnamed { package: name.clone(), manifest: manifest(metadata, holder) });
            }
        }
    }
    unnamed
}

fn manifest(metadata: &Metadata, holder: &Package) -> String {
    let path = holder.manifest_path.strip_prefix(&metadata.workspace_root);
    path.unwrap_or(&holder.manifest_path).display().to_string()
}

impl fmt::Display for Unnamed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { package, manifest } = self;
        write!(
            formatter,
            "`{package}` is in {manifest}, but not in `packs` of [workspace.metadata.hookkit], so its hooks are left \
             out; to install them, add it there"
        )
    }
}
