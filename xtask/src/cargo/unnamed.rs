//! Packs that a workspace depends on but does not list, for example after `cargo add`.

use crate::cargo::lockfile::Lockfile;
use crate::cargo::metadata::{HOOKKIT, Metadata, NOWHERE, XTASK};

/// Describes the dependencies that can only be meant for their hooks: those of xtask, and those for no platform.
///
/// Other packages of the workspace have dependencies for their own code, which need not be packs.
pub(crate) fn find(metadata: &Metadata, named: &[String], lock: Option<&Lockfile>) -> Vec<String> {
    let has_hooks = |name: &str| {
        let mut locked = lock.into_iter().flat_map(|lock| lock.named(name).map(move |package| (lock, package)));
        locked.any(|(lock, package)| lock.dependencies(package).any(|needed| needed.name == HOOKKIT))
    };
    let mut unnamed = Vec::new();
    for holder in &metadata.packages {
        let manifest = &holder.manifest_path;
        let manifest = manifest.strip_prefix(&metadata.workspace_root).unwrap_or(manifest).display();
        let is_xtask = holder.dependency(XTASK).is_some();
        for name in holder.dependencies.iter().map(|dependency| &dependency.name) {
            let Some(dependency) = holder.dependency(name) else {
                continue;
            };
            let is_for_hooks = is_xtask || dependency.target.as_deref() == Some(NOWHERE);
            let is_known =
                [HOOKKIT, XTASK].contains(&&**name) || named.contains(name) || metadata.package(name).is_some();
            if is_for_hooks && !is_known && has_hooks(name) {
                unnamed.push(format!(
                    "`{name}` is in {manifest}, but not in `packs` of [workspace.metadata.hookkit], so its hooks are \
                     left out; to install them, add it there"
                ));
            }
        }
    }
    unnamed
}
