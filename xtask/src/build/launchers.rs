//! The launchers: one binary per hook, of one line each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::build::definition::Definition;
use crate::build::generated::{Build, LAUNCHERS, binary_name, fast};
use crate::build::link::Link;
use crate::disk::files;

impl Build<'_> {
    /// Builds each of `hooks` into its own binary. Returns the binaries, by the hooks' names.
    pub(crate) fn binaries(&self, all: &[Definition], hooks: &[Definition]) -> Result<BTreeMap<String, Vec<u8>>> {
        let launchers = self.launchers(all, hooks)?.into_iter();
        launchers.map(|(hook, path)| Ok((hook, files::built(&path)?))).collect()
    }

    /// Builds each of `hooks` into its own binary. Returns their paths, by the hooks' names.
    ///
    /// They are a part of `all`: the package contains all of them, so that cargo does not rebuild it for another part.
    pub(crate) fn launchers(&self, all: &[Definition], hooks: &[Definition]) -> Result<BTreeMap<String, PathBuf>> {
        let mut binaries = String::new();
        if hooks.is_empty() {
            return Ok(BTreeMap::new());
        }
        for hook in all.iter().filter(|hook| !hook.changes.off) {
            let name = binary_name(hook);
            binaries += &format!("\n[[bin]]\nname = {name:?}\npath = \"src/{name}.rs\"\n");
            self.write(&format!("{LAUNCHERS}/src/{name}.rs"), &hook.launcher())?;
        }
        self.manifest(LAUNCHERS, &(binaries + &fast()))?;
        let packs = hooks.iter().map(|hook| hook.declared.package.as_str());
        let launched = self.with_hooks(packs.collect());
        let mut launchers = BTreeMap::new();
        for link in [Link::StaticMusl, Link::StaticGlibc, Link::Dynamic] {
            let hooks: Vec<&Definition> = hooks.iter().filter(|hook| self.link(hook) == link).collect();
            if hooks.is_empty() {
                continue;
            }
            let targets: Vec<String> = hooks.iter().map(|hook| binary_name(hook)).collect();
            let mut built = self.cargo(LAUNCHERS, link, &targets, &launched)?;
            for (hook, target) in hooks.iter().zip(&targets) {
                let binary = built
                    .remove(target)
                    .with_context(|| format!("cargo built no binary for `{}`", hook.declared.name))?;
                launchers.insert(hook.declared.name.clone(), binary);
            }
        }
        Ok(launchers)
    }
}
