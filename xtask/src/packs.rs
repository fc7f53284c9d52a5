//! Whose hooks are a workspace's hooks?
//!
//! Library crates of the workspace that depend on hookkit are *packs*; a crate from elsewhere is one only where
//! `[workspace.metadata.hookkit]` names it, so that nobody gets a hook that was not asked for.
//! All of them are linked into one program, the lister, and so they have to agree on one hookkit.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use crate::listed;
use crate::lockfile::{self, Lockfile};
use crate::workspace::{Dependency, Metadata, Package, git_origin, registry_origin, toml_string};

/// A library crate with hooks.
#[derive(Debug)]
pub(crate) struct Pack {
    /// The package's name.
    pub(crate) package: String,
    /// How a Cargo.toml names it, as the inside of an inline table.
    pub(crate) requirement: String,
    pub(crate) features: BTreeSet<String>,
    /// Whether the workspace only depends on it.
    pub(crate) is_foreign: bool,
}

impl Pack {
    /// Its line in the `[dependencies]` of a generated manifest.
    pub(crate) fn dependency(&self) -> String {
        let Self {
            package,
            requirement,
            features,
            ..
        } = self;
        let features: Vec<&String> = features.iter().collect();
        // With `package` the crate has the name that we give it, whatever its library is called.
        format!("{package} = {{ package = {package:?}, {requirement}, features = {features:?} }}\n")
    }

    /// What generated code calls the crate.
    pub(crate) fn krate(&self) -> String {
        krate(&self.package)
    }
}

/// What generated code calls a package's crate.
pub(crate) fn krate(package: &str) -> String {
    package.replace('-', "_")
}

/// The packs of a workspace: its own, and those that its settings name.
pub(crate) fn find(metadata: &Metadata, named: &[String], lock: Option<&Lockfile>) -> Result<Vec<Pack>> {
    let mut packs = Vec::new();
    for package in &metadata.packages {
        if package.dependency(HOOKKIT).is_some() && package.is_library() && package.name != XTASK {
            packs.push(Pack {
                package: package.name.clone(),
                requirement: format!("path = {}", toml_string(package.folder())?),
                features: BTreeSet::new(),
                is_foreign: false,
            });
        }
    }
    for name in named {
        if !packs.iter().any(|pack| pack.package == *name) {
            packs.push(foreign(metadata, name, lock)?);
        }
    }
    Ok(packs)
}

const HOOKKIT: &str = "hookkit";

/// It depends on hookkit, and has no hooks.
pub(crate) const XTASK: &str = "hookkit-xtask";

/// A pack from elsewhere, as the workspace's packages name it.
fn foreign(metadata: &Metadata, name: &str, lock: Option<&Lockfile>) -> Result<Pack> {
    let declared: Vec<(&Package, &Dependency)> = metadata
        .packages
        .iter()
        .filter_map(|package| Some((package, package.dependency(name)?)))
        .collect();
    let Some((_, first)) = declared.first() else {
        bail!(
            "`packs` in [workspace.metadata.hookkit] names `{name}`, which no package of the workspace depends on; \
             add it: cargo xtask add {name}"
        );
    };
    if let Some(lock) = lock {
        ensure_one_version(name, lock)?;
    }
    Ok(Pack {
        package: name.to_owned(),
        requirement: first.to_toml()?,
        features: declared
            .iter()
            .flat_map(|(_, dependency)| dependency.features())
            .cloned()
            .collect(),
        is_foreign: true,
    })
}

fn ensure_one_version(name: &str, lock: &Lockfile) -> Result<()> {
    let found: Vec<&lockfile::Package> = lock.named(name).collect();
    ensure!(
        !found.is_empty(),
        "Cargo.lock does not have `{name}` yet; write it anew: cargo update --workspace"
    );
    if found.len() > 1 {
        let mut versions = String::new();
        for package in &found {
            let dependents = lock.dependents(package).map(|dependent| &dependent.name);
            versions += &format!("\n  {package}, which {} needs", listed(dependents));
        }
        bail!(
            "`{name}` is here in two versions, and a hook cannot be installed from both:{versions}\n\
             Have all of them need one, or take one of those out: cargo xtask remove"
        );
    }
    Ok(())
}

/// The one hookkit that all packs are written for, for a generated manifest. Without packs there is none.
pub(crate) fn hookkit(metadata: &Metadata, packs: &[Pack], lock: Option<&Lockfile>) -> Result<String> {
    if packs.is_empty() {
        return Ok(String::new());
    }
    let locked = lock.map(|lock| one_hookkit(packs, lock)).transpose()?.flatten();
    if let Some(locked) = locked {
        ensure_known(locked)?;
        if let Some(source) = &locked.source {
            let version = format!("={}", locked.version);
            let index = source.strip_prefix("registry+").filter(|index| *index != CRATES_IO);
            let sparse = source.starts_with("sparse+").then_some(source.as_str());
            return Ok(git_origin(source).unwrap_or_else(|| registry_origin(&version, sparse.or(index))));
        }
    }
    // It has a path: a package of the workspace knows it, or a pack that has one, too.
    let of_members = metadata
        .packages
        .iter()
        .filter_map(|package| package.dependency(HOOKKIT));
    if let Some(dependency) = of_members.into_iter().next() {
        return dependency.to_toml();
    }
    let dependencies = metadata.packages.iter().flat_map(|package| &package.dependencies);
    for dependency in dependencies.filter(|dependency| packs.iter().any(|pack| pack.package == dependency.name)) {
        let Some(folder) = &dependency.path else { continue };
        let of_pack = Metadata::of(folder)?;
        let package = of_pack.packages.iter().find(|package| package.name == dependency.name);
        if let Some(hookkit) = package.and_then(|package| package.dependency(HOOKKIT)) {
            return hookkit.to_toml();
        }
    }
    // Only a patch gives it a path.
    let locked = locked.context("no pack says where hookkit is")?;
    Ok(registry_origin(&format!("={}", locked.version), None))
}

/// The index that needs no name.
const CRATES_IO: &str = "https://github.com/rust-lang/crates.io-index";

/// The hookkit that the packs in a Cargo.lock need; `None` where it does not have them yet.
fn one_hookkit<'l>(packs: &[Pack], lock: &'l Lockfile) -> Result<Option<&'l lockfile::Package>> {
    let mut needed: BTreeMap<&lockfile::Package, Vec<String>> = BTreeMap::new();
    for pack in packs {
        let locked = lock.named(&pack.package);
        let own = |package: &&lockfile::Package| pack.is_foreign || package.source.is_none();
        let Some(locked) = locked.into_iter().find(own) else {
            continue;
        };
        let mut hookkits = lock.dependencies(locked).filter(|package| package.name == HOOKKIT);
        match hookkits.next() {
            Some(hookkit) => needed.entry(hookkit).or_default().push(locked.to_string()),
            None => ensure!(
                !pack.is_foreign,
                "`{}` in `packs` of [workspace.metadata.hookkit] does not depend on hookkit, so it has no hooks; \
                 take it out: cargo xtask remove {}",
                pack.package,
                pack.package
            ),
        }
    }
    if needed.len() > 1 {
        let mut versions = String::new();
        for (hookkit, by) in &needed {
            let source = hookkit.source.as_deref().unwrap_or("a path");
            versions += &format!("\n  {hookkit} ({source}): {}", listed(by));
        }
        bail!(
            "the packs are written for different versions of hookkit, and one program has one:{versions}\n\
             Take versions of the packs that agree; to see which there are: cargo xtask outdated"
        );
    }
    Ok(needed.into_keys().next())
}

/// Whether this xtask knows what hooks of that hookkit expect of it.
fn ensure_known(hookkit: &lockfile::Package) -> Result<()> {
    let ours = semver::Version::parse(env!("CARGO_PKG_VERSION"))?;
    let same = |part: fn(&semver::Version) -> u64| part(&ours) == part(&hookkit.version);
    ensure!(
        same(|version| version.major) && (ours.major > 0 || same(|version| version.minor)),
        "the hooks are written for {hookkit}, and this xtask is that of hookkit {ours}; \
         give both one version: `hookkit-xtask` in xtask's Cargo.toml, and hookkit in the packs'"
    );
    Ok(())
}
