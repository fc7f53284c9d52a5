//! The lister: it is linked with all packs, prints the definitions of their hooks, and decodes configurations.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::build::definition::{Definition, Listing};
use crate::build::generated::{Build, LISTER, fast};
use crate::build::link::Link;
use crate::build::overrides::{Overrides, config};
use crate::terminal::{inform, listed};

impl Build<'_> {
    /// Returns the hooks of the packs, with the workspace's changes.
    pub(crate) fn definitions(&self) -> Result<Vec<Definition>> {
        let overrides = Overrides::read(&self.workspace.settings.hooks)?;
        let lister = self.lister()?;
        let mut definitions = self.listed(&lister)?;
        overrides.apply(&mut definitions)?;
        config::check(&definitions, |asked| decode(&lister, asked))?;
        for name in &self.workspace.settings.dynamic {
            ensure!(
                definitions.iter().any(|hook| hook.declared.name == *name),
                "`dynamic` in [workspace.metadata.hookkit] names `{name}`, which is not one of the hooks {}",
                listed(definitions.iter().map(|hook| &hook.declared.name))
            );
        }
        self.keep_names(&definitions)?;
        Ok(definitions)
    }

    /// Returns the hooks of the packs as their attributes declare them, in the packs' order: builds and runs the
    /// lister.
    pub(crate) fn declared(&self) -> Result<Vec<Definition>> {
        self.listed(&self.lister()?)
    }

    /// Builds the lister.
    fn lister(&self) -> Result<PathBuf> {
        // A dependency that the code does not name is not linked.
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
        self.manifest(LISTER, &fast())?;
        // It is linked with all packs, including those that cannot be linked statically.
        let link = if self.workspace.settings.dynamic.is_empty() && !self.toolchain.is_for_elsewhere() {
            self.link
        } else {
            Link::Dynamic
        };
        let mut built = self.cargo(LISTER, link, &[], &BTreeSet::new())?;
        built.remove(LISTER).context("cargo built no lister")
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
        report_other_hooks(&others);
        Ok(definitions)
    }
}

/// Has the types of hooks decode values of their configurations.
fn decode(lister: &Path, asked: &config::Asked) -> Result<config::Decoded> {
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
    written.transpose().context("writing to the lister")?;
    serde_json::from_slice(&output.stdout).context("reading the lister's output about configurations")
}

/// Reports hooks in crates that packs depend on, which are not installed.
fn report_other_hooks(hooks: &[Definition]) {
    let mut by_package: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for hook in hooks {
        let package = (hook.declared.package.as_str(), hook.declared.package_version.as_str());
        by_package.entry(package).or_default().push(&hook.declared.name);
    }
    for ((package, version), hooks) in by_package {
        inform(format_args!(
            "note: {package} {version} also has hooks, but is not a chosen pack, so they are not installed: {}\n\
             To install them: cargo xtask add {package}",
            listed(hooks)
        ));
    }
}
