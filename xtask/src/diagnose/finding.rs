//! A finding of a rule, the edit that fixes it, and the environment that rules may look up.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookkit_protocol::settings::{SET_FOR_PLUGINS, is_unset};
use serde_json::Value;

use crate::diagnose::active::session::Session;
use crate::settings::code::Code;

#[cfg(test)]
use std::panic::Location;

/// A hook, or a part of one, that does not do what its author expects.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    pub(crate) code: Code,
    /// Mistake, as a clause.
    pub(crate) what: String,
    /// Consequence in Claude Code, as a clause.
    pub(crate) does: String,
    /// Fix, as a clause; empty if `what` implies it.
    pub(crate) fix: String,
    /// Edit that fixes it, if there is an unambiguous one.
    pub(crate) edit: Option<Fix>,
    /// Line of the rule. A test uses it to check that each rule has a fix that works.
    #[cfg(test)]
    pub(crate) site: &'static Location<'static>,
}

impl Finding {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn new(code: Code, what: impl Into<String>, does: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            code,
            what: what.into(),
            does: does.into(),
            fix: fix.into(),
            edit: None,
            #[cfg(test)]
            site: Location::caller(),
        }
    }

    pub(crate) fn fixed_by(self, fix: Fix) -> Self {
        Self {
            edit: Some(fix),
            ..self
        }
    }
}

/// An edit that fixes a finding.
///
/// Two edits of one hook may set the same key, so the rules run again after one of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fix {
    /// Sets a key of the hook to this value.
    Set { key: String, value: Value },
    /// Removes a key of the hook.
    Remove { key: String },
    /// Renames a key of the hook.
    Rename { from: String, to: String },
    /// Removes the group's matcher.
    RemoveMatcher,
    /// Removes the hook.
    RemoveHandler,
    /// Makes a file executable for all users who can read it.
    MakeExecutable(PathBuf),
    /// Removes write access to a file or a folder for all users except its owner and its group.
    Protect(PathBuf),
}

/// The environment that Claude Code's hooks run in, as far as the rules may look it up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// `CLAUDE_PROJECT_DIR`; `None` if the settings are for many projects.
    pub(crate) project: Option<PathBuf>,
    /// `CLAUDE_PLUGIN_ROOT` of a plugin's hook.
    pub(crate) plugin: Option<PathBuf>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `PATH`; `None` if unknown.
    pub(crate) path: Option<OsString>,
    /// Program that `/bin/sh` links to; `None` if unknown.
    pub(crate) shell: Option<PathBuf>,
    /// Names of the variables of `doctor` itself, and of those that the settings set.
    pub(crate) variables: BTreeSet<String>,
}

impl Surroundings {
    /// Returns these surroundings with the variables of a session's settings.
    pub(crate) fn within(&self, session: &Session) -> Self {
        let mut variables = session.variables();
        Self {
            path: variables
                .remove("PATH")
                .map(OsString::from)
                .or_else(|| self.path.clone()),
            variables: self.variables.iter().cloned().chain(variables.into_keys()).collect(),
            ..self.clone()
        }
    }

    /// Returns `true` if neither the client nor the settings set a variable that is named like one of the client's; without an
    /// event, on none.
    pub(crate) fn is_unset(&self, name: &str, event: Option<&str>) -> bool {
        let is_of_plugins = SET_FOR_PLUGINS.contains(&name) && self.plugin.is_none();
        // The client sets one for each option of a plugin.
        let is_option = self.plugin.is_some() && name.starts_with("CLAUDE_PLUGIN_OPTION_");
        (is_of_plugins || is_unset(name, event)) && !is_option && !self.variables.contains(name)
    }

    /// Returns the folder that a variable names.
    pub(crate) fn folder(&self, variable: &str) -> Option<&Path> {
        let folder = match variable {
            "HOME" => &self.home,
            "CLAUDE_PROJECT_DIR" => &self.project,
            "CLAUDE_PLUGIN_ROOT" => &self.plugin,
            _ => return None,
        };
        folder.as_deref()
    }

    /// Returns `true` if `/bin/sh` is dash, which has fewer features than bash and other exit codes.
    pub(crate) fn is_dash(&self) -> bool {
        self.shell.as_ref().is_some_and(|shell| shell.ends_with("dash"))
    }
}
