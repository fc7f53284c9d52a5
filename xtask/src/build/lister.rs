//! The lister: it is linked with all packs, prints the definitions of their hooks, and has their types understand values.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::build::definition::{Definition, Listing};
use crate::build::generated::{Build, LISTER, fast, optimized};
use crate::build::link::Link;
use crate::build::overrides::{Overrides, config};
use crate::cargo::lockfile::Package;
use crate::cargo::metadata::HOOKKIT;
use crate::terminal::{listed, tell};

impl Build<'_> {
    /// The hooks of the packs, as the workspace changes them.
    pub(crate) fn definitions(&self) -> Result<Vec<Definition>> {
        let overrides = Overrides::read(&self.workspace.settings.hooks)?;
        let lister = self.lister()?;
        let mut definitions = self.listed(&lister)?;
        overrides.apply(&mut definitions)?;
        config::check(&definitions, |asked| understood(&lister, asked))?;
        for name in &self.workspace.settings.dynamic {
            ensure!(
                definitions.iter().any(|hook| hook.declared.name == *name),
                "`dynamic` in [workspace.metadata.hookkit] names `{name}`, which is none of the hooks {}",
                listed(definitions.iter().map(|hook| &hook.declared.name))
            );
        }
        self.keep_names(&definitions)?;
        Ok(definitions)
    }

    /// The hooks of the packs, as their attributes declare them and in the packs' order: builds the lister and asks it.
    pub(crate) fn declared(&self) -> Result<Vec<Definition>> {
        self.listed(&self.lister()?)
    }

    /// Builds the lister.
    fn lister(&self) -> Result<PathBuf> {
        // A crate that is only depended on is not linked.
        let externs = self
            .workspace
            .packs
            .iter()
            .map(|pack| format!("extern crate {} as _;\n", pack.krate()));
        let main = "fn main() {\n    hookkit::__private::lister()\n}\n";
        self.write(
            &format!("{LISTER}/src/main.rs"),
            &format!("{}\n{main}", externs.collect::<String>()),
        )?;
        // What packs depend on is built once for it and for the launchers.
        let mut profile = fast();
        for package in self.with_hooks() {
            profile += &optimized(package, 0);
            profile += "debug-assertions = true\n";
        }
        self.manifest(LISTER, &profile)?;
        // It is linked with every pack, among them those that cannot be linked statically.
        let link = if self.workspace.settings.dynamic.is_empty() && !self.toolchain.is_for_elsewhere() {
            self.link
        } else {
            Link::Dynamic
        };
        let mut built = self.cargo(LISTER, link, &[])?;
        built.remove(LISTER).context("cargo built no lister")
    }

    /// The packs, and the packages that they need and that may have hooks, too. `__register` collects those that are built
    /// with debug assertions.
    pub(crate) fn with_hooks(&self) -> BTreeSet<&str> {
        let packs = || self.workspace.packs.iter().map(|pack| pack.package.as_str());
        let mut packages: BTreeSet<&str> = packs().collect();
        let Some(lock) = &self.workspace.lock else {
            return packages;
        };
        for hookkit in lock.named(HOOKKIT) {
            let own = lock.closure(hookkit);
            let needed: BTreeSet<&Package> = packs()
                .flat_map(|pack| lock.named(pack))
                .flat_map(|pack| lock.closure(pack))
                .collect();
            let others = lock
                .dependents(hookkit)
                .filter(|package| needed.contains(package) && !own.contains(package));
            packages.extend(others.map(|package| package.name.as_str()));
        }
        packages
    }

    fn listed(&self, lister: &Path) -> Result<Vec<Definition>> {
        let output = Command::new(lister)
            .stderr(Stdio::inherit())
            .output()
            .context("the lister could not be run")?;
        ensure!(output.status.success(), "the lister failed: {}", output.status);
        let listing = Listing::parse(&output.stdout)?;
        let pack = |hook: &Definition| {
            self.workspace
                .packs
                .iter()
                .position(|pack| pack.package == hook.declared.package)
        };
        let (mut definitions, others): (Vec<_>, Vec<_>) =
            listing.hooks.into_iter().partition(|hook| pack(hook).is_some());
        definitions.sort_by_key(pack);
        tell_others(&others);
        Ok(definitions)
    }
}

/// Has the types of hooks understand values of their configurations.
fn understood(lister: &Path, asked: &config::Asked) -> Result<config::Understood> {
    let mut lister = Command::new(lister)
        .arg("config")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the lister could not be run")?;
    let asked = serde_json::to_vec(asked)?;
    let written = lister.stdin.take().map(|mut stdin| stdin.write_all(&asked));
    let output = lister.wait_with_output()?;
    ensure!(output.status.success(), "the lister failed: {}", output.status);
    written.transpose().context("the lister does not read")?;
    serde_json::from_slice(&output.stdout).context("reading what the lister said of configurations")
}

/// Says which hooks came along unasked, in crates that packs depend on.
fn tell_others(hooks: &[Definition]) {
    let mut by_package: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for hook in hooks {
        let package = (hook.declared.package.as_str(), hook.declared.package_version.as_str());
        by_package.entry(package).or_default().push(&hook.declared.name);
    }
    for ((package, version), hooks) in by_package {
        tell(format_args!(
            "note: {package} {version} has hooks too, but it is not a chosen pack, so they are not installed: {}\n\
             To have them: cargo xtask add {package}",
            listed(hooks)
        ));
    }
}
