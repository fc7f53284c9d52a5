//! Names of the hooks in the last builds, with their packs, for builds of only some packs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::disk::bounded;

/// Name of the file in the folder of the generated packages.
const FILE: &str = "names";

impl Build<'_> {
    /// Stores the names of these hooks. If only some packs were built, the names from other packs are kept.
    pub(crate) fn keep_names(&self, hooks: &[Definition], built: Option<&BTreeSet<String>>) -> Result<()> {
        let mut names = self.names();
        let is_left = |pack: &String| {
            let mut packs = self.workspace.packs.iter();
            built.is_some_and(|built| !built.contains(pack)) && packs.any(|known| known.package == *pack)
        };
        names.retain(|_, pack| is_left(pack));
        let active = hooks.iter().filter(|hook| !hook.changes.off);
        let package = |hook: &Definition| hook.packages().next().unwrap_or_default().to_owned();
        names.extend(active.map(|hook| (hook.declared.name.clone(), package(hook))));
        self.write(FILE, &serde_json::to_string(&names)?)
    }

    /// Returns the packs of the hooks in the last builds, by hook name.
    pub(crate) fn names(&self) -> BTreeMap<String, String> {
        let text = bounded::read(&self.folder.join(FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }
}
