//! Builds and runs listers: programs linked with packs that print the hooks' definitions and decode configurations.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use hookkit_protocol::hook::Declaration;

use crate::binaries::definition::{Definition, Listing, find, names};
use crate::binaries::generated::{Binary, Build, LISTER};
use crate::binaries::link::Link;
use crate::binaries::manifests::{FAST, Part, part_file, part_of, part_of_all};
use crate::binaries::order;
use crate::binaries::overrides::{Overrides, config};
use crate::cargo::packs::krate;
use crate::terminal::{inform, listed};

impl Build<'_> {
    /// Returns the hooks of the packs, with the workspace's changes.
    pub(crate) fn definitions(&self) -> Result<Vec<Definition>> {
        let overrides = Overrides::read(&self.workspace.settings.hooks)?;
        let listers = self.listers(None)?;
        let mut definitions = self.listed(&listers)?;
        overrides.apply(&mut definitions)?;
        order::apply(&self.workspace.settings.orders, &mut definitions)?;
        config::check(&definitions, |asked| decode(&listers[0], asked))?;
        for name in &self.workspace.settings.dynamic {
            ensure!(
                find(&definitions, name).is_some(),
                "`dynamic` in [workspace.metadata.hookkit] lists `{name}`, which is not one of the hooks {}",
                listed(names(&definitions))
            );
        }
        self.keep_names(&definitions, None)?;
        Ok(definitions)
    }

    /// Returns the hooks of some packs, without compiling the others. `None` if the workspace overrides or orders
    /// hooks, because these hooks can be in any pack.
    ///
    /// Another pack's hook with the same name is not found.
    pub(crate) fn definitions_of(&self, packs: &BTreeSet<String>) -> Result<Option<Vec<Definition>>> {
        let settings = &self.workspace.settings;
        if !settings.hooks.is_empty() || !settings.dynamic.is_empty() || !settings.orders.is_empty() {
            return Ok(None);
        }
        let mut definitions = self.listed(&self.listers(Some(packs))?)?;
        definitions.retain(|hook| packs.contains(&hook.declared.package));
        Overrides::default().apply(&mut definitions)?;
        self.keep_names(&definitions, Some(packs))?;
        Ok(Some(definitions))
    }

    /// Builds one lister of all packs, or one for each of the given packs.
    fn listers(&self, only: Option<&BTreeSet<String>>) -> Result<Vec<PathBuf>> {
        let packs = &self.workspace.packs;
        let mut parts = vec![Part::of_all(LISTER, packs)];
        parts.extend(packs.iter().map(|pack| Part::of_pack(LISTER, pack)));
        for part in &parts {
            // A dependency is linked only if the code mentions it.
            let externs = part.packs.iter().map(|pack| format!("extern crate {} as _;\n", krate(&pack.package)));
            let main = "fn main() {\n    hookkit::__private::lister()\n}\n";
            let main = format!("{}\n{main}", externs.collect::<String>());
            self.write(&part_file(LISTER, &part.name, "src/main.rs"), &main)?;
        }
        // The lister contains the code of hookkit that it uses, and runs once.
        let slow = parts.iter().map(|part| format!("\n[profile.dev.package.{:?}]\nopt-level = 0\n", part.name));
        self.manifests(LISTER, &(FAST.to_owned() + &slow.collect::<String>()), &parts)?;
        // The lister is linked with all packs, even those that cannot be linked statically.
        let link = if self.workspace.settings.dynamic.is_empty() && !self.toolchain.is_for_elsewhere() {
            self.link
        } else {
            Link::Dynamic
        };
        let names = match only {
            None => vec![part_of_all(LISTER)],
            Some(only) => packs
                .iter()
                .filter(|pack| only.contains(&pack.package))
                .map(|pack| part_of(LISTER, &pack.package))
                .collect(),
        };
        let binary = |name: String| Binary { part: name.clone(), name };
        let binaries: Vec<Binary> = names.into_iter().map(binary).collect();
        let mut built = self.cargo(LISTER, link, &binaries, &BTreeSet::new())?;
        binaries.iter().map(|binary| built.remove(&binary.name)).collect::<Option<_>>().context("cargo built no lister")
    }

    /// Runs listers, and returns the hooks that they print.
    fn listed(&self, listers: &[PathBuf]) -> Result<Vec<Definition>> {
        let mut hooks = Vec::new();
        for lister in listers {
            let output =
                Command::new(lister).stderr(Stdio::inherit()).output().context("the lister could not be run")?;
            ensure!(output.status.success(), "the lister failed: {}", output.status);
            hooks.extend(Listing::parse(&output.stdout)?.hooks);
        }
        // A pack that others depend on is also in their listers.
        let mut seen = HashSet::new();
        hooks.retain(|hook| {
            let Declaration { package, package_version, path, .. } = &hook.declared;
            seen.insert([package, package_version, path].map(String::clone))
        });
        let pack =
            |hook: &Definition| self.workspace.packs.iter().position(|pack| pack.package == hook.declared.package);
        let (mut definitions, others): (Vec<_>, Vec<_>) = hooks.into_iter().partition(|hook| pack(hook).is_some());
        definitions.sort_by_key(pack);
        report_other_hooks(&others);
        Ok(definitions)
    }
}

/// Decodes configuration values with the types of their hooks.
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

/// Reports hooks in crates that packs depend on. These hooks are not installed.
fn report_other_hooks(hooks: &[Definition]) {
    let mut by_package: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for hook in hooks {
        let package = (hook.declared.package.as_str(), hook.declared.package_version.as_str());
        by_package.entry(package).or_default().push(&hook.declared.name);
    }
    for ((package, version), hooks) in by_package {
        inform!(
            "note: {package} {version} is not a pack of this workspace, so its hooks are not installed: {}\nTo \
             install them: cargo xtask add {package}",
            listed(hooks)
        );
    }
}
