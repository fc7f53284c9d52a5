//! A plugin before its files are generated: its hooks, programs and sources.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use hookkit_protocol::hook::{Declaration, OnEvent};
use serde::{Deserialize, Serialize};

use crate::binaries::definition::Definition;
use crate::binaries::platform::Platform;
use crate::settings::entries;
use crate::terminal::one_line;

pub(super) const MANIFEST: &str = ".claude-plugin/plugin.json";
pub(super) const HOOKS: &str = "hooks/hooks.json";
pub(super) const LICENCES: &str = "LICENSES.txt";
pub(crate) const SUMS: &str = "SHA256SUMS";

/// The file with a package's sources. The client does not read it.
pub(super) const ORIGIN: &str = "hookkit.json";

/// A plugin, before its files are generated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plugin {
    pub(crate) origin: Origin,
    pub(crate) programs: BTreeMap<Platform, Vec<u8>>,
    /// Licenses of the code in the programs, if the workspace has a file with them.
    pub(crate) licences: Option<Vec<u8>>,
}

/// The sources of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The version of hookkit-xtask.
    pub(crate) hookkit: String,
    /// The plugin's name.
    pub(crate) name: String,
    /// The SHA-256 of the code of the workspace's packs.
    pub(crate) code: String,
    pub(crate) hooks: Vec<PackagedHook>,
    /// The compiler of each program, by platform name.
    pub(crate) compilers: BTreeMap<String, String>,
}

/// A hook of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PackagedHook {
    #[serde(flatten)]
    pub(crate) declared: Declaration<String>,
    pub(crate) entries: Vec<OnEvent<String>>,
}

impl PackagedHook {
    pub(crate) fn of(hook: &Definition) -> Self {
        Self { declared: hook.declared.clone(), entries: hook.entries.clone() }
    }

    /// Returns `true` if the hook's answers on an event can replace a tool's input or output.
    pub(crate) fn rewrites(&self, event: &str) -> bool {
        self.entries.iter().any(|on| on.event == event && on.rewrites)
    }

    /// Returns `true` if Claude Code denies an action when the hook cannot be started.
    pub(super) fn is_guard(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|on| entries::blocks_unstarted(&self.declared, on))
    }
}

/// Checks a plugin's name, which is a word in Claude Code's commands and part of file names.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let is_valid = !name.is_empty() && name.len() <= 64 && name.bytes().all(is_plain) && !name.starts_with('-');
    ensure!(
        is_valid,
        "`{}` cannot be the name of a plugin: use up to 64 of a-z, 0-9 and `-`; set its name with --name",
        one_line(name)
    );
    Ok(())
}

impl Plugin {
    /// Returns the names of the plugin's hooks and platforms.
    pub(crate) fn parts(&self) -> BTreeSet<String> {
        self.origin.hooks.iter().map(|hook| &hook.declared.name).chain(self.origin.compilers.keys()).cloned().collect()
    }

    /// Returns a sentence about the plugin, for Claude Code's lists.
    pub(super) fn description(&self) -> String {
        let names: Vec<&str> = self.origin.hooks.iter().map(|hook| hook.declared.name.as_str()).collect();
        match names.len() {
            1 => format!("The hook {}", names[0]),
            2..=6 => format!("The hooks {}", names.join(", ")),
            count => format!("{count} hooks: {}, …", names[..6].join(", ")),
        }
    }
}
