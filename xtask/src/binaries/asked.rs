//! The options that choose hooks.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use clap::Args;

use crate::binaries::definition::{Definition, named};
use crate::binaries::overrides;
use crate::cargo::workspace::Workspace;
use crate::terminal::{meant, quoted};

/// The hooks that the user has requested.
#[derive(Args)]
pub(crate) struct Asked {
    /// Only this hook; may be repeated. `install` keeps and updates installed hooks [default: all hooks]
    #[arg(long = "hook", value_name = "NAME", value_delimiter = ',')]
    pub(crate) hooks: Vec<String>,
    /// Only the hooks of this package; may be repeated, and combined with `--hook`
    #[arg(long = "pack", value_name = "PACKAGE", value_delimiter = ',')]
    packs: Vec<String>,
}

impl Asked {
    /// Returns the names of the requested hooks; `None` if none are requested.
    pub(crate) fn names(&self, all: &[Definition], workspace: &Workspace) -> Result<Option<BTreeSet<String>>> {
        if self.hooks.is_empty() && self.packs.is_empty() {
            return Ok(None);
        }
        let mut chosen = BTreeSet::new();
        for name in &self.hooks {
            overrides::ensure_on(all, name)?;
            chosen.insert(named(all, name)?.declared.name.clone());
        }
        for name in &self.packs {
            if !workspace.packs.iter().any(|pack| pack.package == *name) {
                let packs = workspace.packs.iter().map(|pack| &*pack.package);
                bail!("there is no pack `{name}` here; {}", meant(name, packs));
            }
            let of_pack =
                |hook: &&Definition| hook.changes.order.is_none() && hook.packages().any(|package| package == name);
            chosen.extend(all.iter().filter(of_pack).map(|hook| hook.declared.name.clone()));
        }
        Ok(Some(chosen))
    }

    /// Returns the packs of the requested hooks, unless finding the hooks needs the other packs too.
    pub(crate) fn only_packs(&self, workspace: &Workspace) -> Option<BTreeSet<String>> {
        let is_known = |name: &String| workspace.packs.iter().any(|pack| pack.package == *name);
        let is_enough = self.hooks.is_empty() && !self.packs.is_empty() && self.packs.iter().all(is_known);
        is_enough.then(|| self.packs.iter().cloned().collect())
    }

    /// Returns the options as typed.
    pub(crate) fn options(&self) -> String {
        let hooks = self.hooks.iter().map(|hook| format!(" --hook {}", quoted(hook)));
        let packs = self.packs.iter().map(|pack| format!(" --pack {}", quoted(pack)));
        hooks.chain(packs).collect()
    }
}
