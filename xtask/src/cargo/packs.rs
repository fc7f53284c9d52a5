//! The packs of a workspace.
//!
//! Library crates of the workspace that depend on hookkit are *packs*. A third-party crate is a pack only if
//! `[workspace.metadata.hookkit]` lists it, so that no hooks are installed without being requested. All packs are
//! linked into one program, the lister, so they must use the same hookkit.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};

use hookkit_protocol::near;

use crate::cargo::lockfile::{self, Lockfile};
use crate::cargo::metadata::{Dependency, Metadata, Package, toml_string};
use crate::terminal::listed;

/// A library crate with hooks.
#[derive(Debug)]
pub(crate) struct Pack {
    /// The package's name.
    pub(crate) package: String,
    /// The pack's requirement in a Cargo.toml: the inside of an inline table.
    requirement: String,
    features: BTreeSet<String>,
    /// `true` for a third-party pack.
    pub(crate) is_foreign: bool,
}

impl Pack {
    /// Returns the pack's line in the `[dependencies]` of a generated manifest.
    pub(crate) fn dependency(&self) -> String {
        let Self { package, requirement, features, .. } = self;
        let features: Vec<&String> = features.iter().collect();
        // With `package`, the crate has the name that we choose, whatever its library is called.
        format!("{package} = {{ package = {package:?}, {requirement}, features = {features:?} }}\n")
    }
}

/// Returns the name of a package's crate in generated code.
pub(crate) fn krate(package: &str) -> String {
    package.replace('-', "_")
}

/// Returns the packs of a workspace: its own, and those listed in its settings.
pub(crate) fn find(metadata: &Metadata, named: &[String], lock: Option<&Lockfile>) -> Result<Vec<Pack>> {
    let mut packs = Vec::new();
    for package in metadata.packages.iter().filter(|package| package.is_pack()) {
        packs.push(Pack {
            package: package.name.clone(),
            requirement: format!("path = {}", toml_string(package.folder())?),
            features: BTreeSet::new(),
            is_foreign: false,
        });
    }
    for name in named {
        if !packs.iter().any(|pack| pack.package == *name) {
            packs.push(foreign(metadata, name, lock)?);
        }
    }
    Ok(packs)
}

/// Returns a third-party pack, with the requirement from the workspace's packages.
fn foreign(metadata: &Metadata, name: &str, lock: Option<&Lockfile>) -> Result<Pack> {
    let declared: Vec<(&Package, &Dependency)> =
        metadata.packages.iter().filter_map(|package| Some((package, package.dependency(name)?))).collect();
    let Some((_, first)) = declared.first() else {
        let known = metadata.dependencies().map(|dependency| dependency.name.as_str());
        let known = known.filter(|known| *known != name);
        let fix = match near(name, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("remove it there, or depend on it: cargo xtask add {name} --git … or --path …"),
        };
        bail!(
            "`packs` in [workspace.metadata.hookkit] lists `{name}`, which no package of the workspace depends on; \
             {fix}"
        );
    };
    ensure!(
        metadata.package(name).is_none(),
        "`{name}` is also a package of this workspace, so the two cannot be distinguished; it cannot be a pack here"
    );
    if let Some(lock) = lock {
        ensure_one_version(name, lock)?;
    }
    // As in cargo, one dependent with the default features is enough.
    let wants_default = declared.iter().any(|(_, dependency)| dependency.uses_default_features);
    Ok(Pack {
        package: name.to_owned(),
        requirement: first.to_toml(wants_default)?,
        features: declared.iter().flat_map(|(_, dependency)| &dependency.features).cloned().collect(),
        is_foreign: true,
    })
}

fn ensure_one_version(name: &str, lock: &Lockfile) -> Result<()> {
    let found: Vec<&lockfile::Package> = lock.named(name).collect();
    ensure!(!found.is_empty(), "Cargo.lock does not have `{name}` yet; update it: cargo update --workspace");
    if found.len() > 1 {
        let mut versions = String::new();
        for package in &found {
            let dependents = lock.dependents(package).map(|dependent| &dependent.name);
            versions += &format!("\n  {package}, needed by {}", listed(dependents));
        }
        bail!(
            "`{name}` is here in two versions, and hooks can be installed only from one:{versions}\nMake all of these \
             packages need the same version, or remove one of the dependencies"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
