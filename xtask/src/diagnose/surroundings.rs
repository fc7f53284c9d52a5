//! The part of a hook's environment that rules may look up.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookkit_protocol::settings::{SET_FOR_PLUGINS, is_unset};

use crate::diagnose::active::session::Session;

/// The part of the environment of Claude Code's hooks that rules may look up.
#[derive(Clone, Default)]
pub(crate) struct Surroundings {
    /// `CLAUDE_PROJECT_DIR`. `None` if the settings apply to many projects.
    pub(crate) project: Option<PathBuf>,
    /// `CLAUDE_PLUGIN_ROOT` for a plugin's hook.
    pub(crate) plugin: Option<PathBuf>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `PATH`. `None` if it cannot be determined.
    pub(crate) path: Option<OsString>,
    /// Program to which `/bin/sh` links. `None` if it cannot be determined.
    pub(crate) shell: Option<PathBuf>,
    /// Names of variables in `doctor`'s environment and in the settings.
    pub(crate) variables: BTreeSet<String>,
}

impl Surroundings {
    /// Returns these surroundings plus the variables from a session's settings.
    pub(crate) fn within(&self, session: &Session) -> Self {
        let mut variables = session.variables();
        Self {
            path: variables.remove("PATH").map(OsString::from).or_else(|| self.path.clone()),
            variables: self.variables.iter().cloned().chain(variables.into_keys()).collect(),
            ..self.clone()
        }
    }

    /// Returns `true` if a variable looks like one of the client's, but neither the client nor the settings set it on
    /// this event. Without an event, this means all events.
    pub(crate) fn is_unset(&self, name: &str, event: Option<&str>) -> bool {
        let is_of_plugins = SET_FOR_PLUGINS.contains(&name) && self.plugin.is_none();
        // The client sets one for each option of a plugin.
        let is_option = self.plugin.is_some() && name.starts_with("CLAUDE_PLUGIN_OPTION_");
        (is_of_plugins || is_unset(name, event)) && !is_option && !self.variables.contains(name)
    }

    /// Returns the folder in a variable.
    pub(crate) fn folder(&self, variable: &str) -> Option<&Path> {
        let folder = match variable {
            "HOME" => &self.home,
            "CLAUDE_PROJECT_DIR" => &self.project,
            "CLAUDE_PLUGIN_ROOT" => &self.plugin,
            _ => return None,
        };
        folder.as_deref()
    }

    /// Returns the program of `/bin/sh` if it is dash, which has fewer features than bash, and different exit codes.
    pub(crate) fn dash(&self) -> Option<&Path> {
        self.shell.as_deref().filter(|shell| shell.ends_with("dash"))
    }
}
