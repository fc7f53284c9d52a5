//! All hooks that a session reads.

use std::collections::BTreeMap;

use super::mods::Mod;
use super::plugins::{self, Packaged};
use super::source::{Handler, HookFile};
use super::switches::{self, Switch};
use crate::settings::folders::Folders;
use crate::settings::part::Part;

/// The files with hooks that a session reads, and the settings that turn hooks off.
pub(crate) struct Session {
    /// Settings files from the weakest to the strongest, then the plugins' files.
    pub(crate) sources: Vec<HookFile>,
    /// Files of other agents in the project.
    pub(crate) agents: Vec<HookFile>,
    /// Settings that turn hooks off.
    pub(crate) switches: Vec<Switch>,
    /// Plugins written by `package`.
    pub(crate) packaged: Vec<Packaged>,
    /// Modules of plugins.
    pub(crate) mods: Vec<Mod>,
}

impl Session {
    /// Reads all files of a session with these folders.
    pub(crate) fn of(folders: &Folders) -> Self {
        let mut sources = Vec::new();
        for (scope, path) in folders.settings() {
            // If the home is also the project's root, a single file is both the user's and the project's.
            if !sources.iter().any(|known: &HookFile| known.path == path) {
                sources.push(HookFile::read(scope, path, &Part::Settings));
            }
        }
        let switches = switches::find(&sources);
        let plugins = plugins::find(folders, &sources);
        sources.extend(plugins.sources);
        let agents = folders.of_agents().map(|(scope, path)| HookFile::read(scope, path, &Part::Settings));
        Self { sources, agents: agents.collect(), switches, packaged: plugins.packaged, mods: plugins.mods }
    }

    /// Returns the variables that settings files set for a session and its hooks. If several files set a variable, the
    /// strongest one wins.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let settings = self.sources.iter().filter(|source| !source.is_plugin());
        let keys = settings.filter_map(|source| source.key("env")?.value.as_object());
        let variables = keys.flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
        variables.map(|(name, value)| (name.clone(), value.to_owned())).collect()
    }

    /// Returns the plugin that contains a file, if `package` has written the plugin.
    pub(crate) fn packaged(&self, source: &HookFile) -> Option<&Packaged> {
        self.packaged.iter().find(|plugin| plugin.scope == source.scope && source.path.starts_with(&plugin.root))
    }

    /// Returns all hooks, each with its file.
    pub(crate) fn handlers(&self) -> impl Iterator<Item = (&HookFile, &Handler)> {
        handlers(&self.sources)
    }

    /// Returns the hooks of other agents, each with its file.
    pub(crate) fn handlers_of_agents(&self) -> impl Iterator<Item = (&HookFile, &Handler)> {
        handlers(&self.agents)
    }

    /// Returns all files, including those of other agents.
    pub(crate) fn files(&self) -> impl Iterator<Item = &HookFile> {
        self.sources.iter().chain(&self.agents)
    }
}

fn handlers(sources: &[HookFile]) -> impl Iterator<Item = (&HookFile, &Handler)> {
    let of = |source: &HookFile| source.handlers.len();
    let sources = sources.iter().filter(move |source| of(source) > 0);
    sources.flat_map(|source| source.handlers.iter().map(move |handler| (source, handler)))
}
