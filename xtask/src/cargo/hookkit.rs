//! Determines the hookkit that all packs of a workspace use: a program can contain only one.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::metadata::{Dependency, HOOKKIT, Metadata, git_origin, registry_origin, toml_string};
use crate::cargo::packs::Pack;
use crate::cargo::patch::patched;
use crate::terminal::listed;

/// Returns the hookkit that all packs use, for a generated manifest; empty without packs.
pub(crate) fn hookkit(metadata: &Metadata, packs: &[Pack], lock: Option<&Lockfile>) -> Result<String> {
    if packs.is_empty() {
        return Ok(String::new());
    }
    let mut locked = None;
    if let Some(lock) = lock {
        let needed = needed(packs, lock)?;
        ensure_one(&needed, lock)?;
        // `None` if the file does not have the packs yet.
        locked = needed.into_keys().next();
        if let Some(locked) = locked {
            ensure_known(locked)?;
            if let Some(origin) = origin(locked, lock) {
                return Ok(origin);
            }
        }
    }
    // hookkit has a path: from a package of the workspace, or else from a pack with a path.
    if let Some(dependency) = metadata.dependency(HOOKKIT) {
        return dependency.to_toml(dependency.uses_default_features);
    }
    let is_pack = |dependency: &&Dependency| packs.iter().any(|pack| pack.package == dependency.name);
    for dependency in metadata.dependencies().filter(is_pack) {
        let Some(folder) = &dependency.path else { continue };
        let of_pack = Metadata::of(folder)?;
        let package = of_pack.package(&dependency.name);
        if let Some(hookkit) = package.and_then(|package| package.dependency(HOOKKIT)) {
            return hookkit.to_toml(hookkit.uses_default_features);
        }
    }
    // Only a patch gives it a path.
    if let Some(path) = patched(&metadata.workspace_root, HOOKKIT)? {
        return Ok(format!("path = {}", toml_string(&path)?));
    }
    let locked = locked
        .context("there is no Cargo.lock with the packs' version of hookkit; create it: cargo update --workspace")?;
    Ok(registry_origin(&format!("={}", locked.version), None))
}

/// The index of crates.io, which manifests need not name.
pub(crate) const CRATES_IO: &str = "https://github.com/rust-lang/crates.io-index";

/// Versions of hookkit, each with the packs that need it.
type Needed<'l> = BTreeMap<&'l lockfile::Package, Vec<(&'l Pack, String)>>;

/// Returns each hookkit in a Cargo.lock that the packs need.
fn needed<'l>(packs: &'l [Pack], lock: &'l Lockfile) -> Result<Needed<'l>> {
    let mut needed = Needed::new();
    for pack in packs {
        let locked = lock.named(&pack.package);
        let own = |package: &&lockfile::Package| pack.is_foreign || package.source.is_none();
        let Some(locked) = locked.into_iter().find(own) else {
            continue;
        };
        let mut hookkits = lock.dependencies(locked).filter(|package| package.name == HOOKKIT);
        match hookkits.next() {
            Some(hookkit) => needed.entry(hookkit).or_default().push((pack, locked.to_string())),
            None => ensure!(
                !pack.is_foreign,
                "`{}` does not depend on hookkit, so it has no hooks; remove it from `packs` in \
                 [workspace.metadata.hookkit]",
                pack.package
            ),
        }
    }
    Ok(needed)
}

/// Checks that the packs need only one version. The lock must contain the third-party packs.
fn ensure_one(needed: &Needed<'_>, lock: &Lockfile) -> Result<()> {
    if needed.len() > 1 {
        let mut versions = String::new();
        for (hookkit, by) in needed {
            let source = hookkit.source.as_deref().unwrap_or("a path");
            versions += &format!("\n  {hookkit} ({source}): {}", listed(by.iter().map(|(_, package)| package)));
        }
        let mut of_others = needed.iter().filter(|(_, by)| by.iter().all(|(pack, _)| pack.is_foreign));
        let fix = match (of_others.next(), of_others.next()) {
            (Some((hookkit, by)), None) => as_others_take_it(hookkit, &by[0].1, lock),
            _ => "Use pack versions that need the same hookkit: change the version of one of them in the Cargo.toml \
                  that lists it"
                .to_owned(),
        };
        bail!(
            "the packs are written for different versions of hookkit, and a program can contain only one:\
             {versions}\n{fix}"
        );
    }
    Ok(())
}

/// Describes the edit that gives the workspace the hookkit of a third-party pack.
fn as_others_take_it(hookkit: &lockfile::Package, pack: &str, lock: &Lockfile) -> String {
    let origin = origin(hookkit, lock).unwrap_or_else(|| "path = …".to_owned());
    format!(
        "Use the hookkit of `{pack}` in the workspace: write `{{ {origin} }}` for hookkit and hookkit-xtask in its \
         Cargo.toml, in `[workspace.dependencies]` if they are there; or use the workspace's hookkit in the pack"
    )
}

/// Returns a locked package for a generated manifest; `None` if it has a path.
fn origin(package: &lockfile::Package, lock: &Lockfile) -> Option<String> {
    let source = package.source.as_ref()?;
    let git = git_origin(&lock.plain(source));
    Some(git.unwrap_or_else(|| registry_origin(&format!("={}", package.version), index(source))))
}

/// Returns a registry's index for a generated manifest; `None` for crates.io, which needs no name.
fn index(source: &str) -> Option<&str> {
    let git = source.strip_prefix("registry+").filter(|index| *index != CRATES_IO);
    git.or_else(|| source.starts_with("sparse+").then_some(source))
}

/// Checks that this xtask supports the hooks of this hookkit.
fn ensure_known(hookkit: &lockfile::Package) -> Result<()> {
    let ours = semver::Version::parse(env!("CARGO_PKG_VERSION"))?;
    let same = |part: fn(&semver::Version) -> u64| part(&ours) == part(&hookkit.version);
    ensure!(
        same(|version| version.major) && (ours.major > 0 || same(|version| version.minor)),
        "the hooks are written for {hookkit}, and this xtask belongs to hookkit {ours}; \
         use the same version for both: `hookkit-xtask` in xtask's Cargo.toml, and hookkit in the packs'"
    );
    Ok(())
}
