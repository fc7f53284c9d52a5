//! A finding of a rule, the edit that fixes it, and the surroundings that rules may look up.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::Value;

use crate::diagnose::active::session::Session;

#[cfg(test)]
use std::panic::Location;

/// Something that does not do what it seems to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// The mistake, as a clause.
    pub(crate) what: String,
    /// Its consequence in Claude Code, as a clause.
    pub(crate) does: String,
    /// The fix, as a clause; empty where `what` says it.
    pub(crate) fix: String,
    /// The one edit that fixes it, where there is one that is plainly meant.
    pub(crate) edit: Option<Fix>,
    /// The line of the rule, by which a test knows that each has a fix that works.
    #[cfg(test)]
    pub(crate) site: &'static Location<'static>,
}

impl Finding {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn new(what: impl Into<String>, does: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
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

/// An edit that fixes something.
///
/// Two of one hook's may set the same key: the rules are asked again after each edit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fix {
    /// Gives a key of the hook this value.
    Set { key: String, value: Value },
    /// Takes a key out of the hook.
    Remove { key: String },
    /// Gives a key of the hook another name.
    Rename { from: String, to: String },
    /// Takes the matcher out of the group.
    RemoveMatcher,
    /// Takes the hook out.
    RemoveHandler,
    /// Makes a file executable for all users who can read it.
    MakeExecutable(PathBuf),
    /// Takes the right to write to a file or a folder from all users but its owner and its group.
    Protect(PathBuf),
}

/// The environment that the rules may look up, as Claude Code's hooks will find it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// `CLAUDE_PROJECT_DIR`; `None` where the settings are for many projects.
    pub(crate) project: Option<PathBuf>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `PATH`; `None` where it is not known.
    pub(crate) path: Option<OsString>,
    /// The program behind `/bin/sh`; `None` where it is not known.
    pub(crate) shell: Option<PathBuf>,
    /// Names of the variables that settings set.
    pub(crate) variables: BTreeSet<String>,
}

impl Surroundings {
    /// The same with the variables of a session's settings.
    pub(crate) fn within(&self, session: &Session) -> Self {
        let mut variables = session.variables();
        Self {
            path: variables
                .remove("PATH")
                .map(OsString::from)
                .or_else(|| self.path.clone()),
            variables: variables.into_keys().collect(),
            ..self.clone()
        }
    }

    /// Returns whether `/bin/sh` is dash, which has fewer features than bash, and other exit codes.
    pub(crate) fn is_dash(&self) -> bool {
        self.shell.as_ref().is_some_and(|shell| shell.ends_with("dash"))
    }
}
