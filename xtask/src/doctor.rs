//! What is wrong with hooks that stand in settings files, whoever wrote them.
//!
//! `settings::findings` knows what Claude Code would not read of a file.
//! Here is what it reads, and what then does something else than it seems to: [`handler`] looks at one hook,
//! [`interplay`] at all hooks together. Both only tell, and change nothing.
//! [`command`] is about what a hook's command calls, and [`shell`] reads command lines for it.
//!
//! A rule speaks where a fault is plain. A false alarm is worse than silence: it teaches people to look away.
#![cfg_attr(
    not(test),
    expect(dead_code, reason = "the rules come before the command that tells what they find")
)]

mod command;
pub(crate) mod handler;
pub(crate) mod interplay;
mod shell;

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// Something that does not do what it seems to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finding {
    /// What is wrong, as a clause.
    pub(crate) what: String,
    /// What Claude Code does because of it, as a clause.
    pub(crate) does: String,
    /// What its author can do, as a clause; empty where `what` says it.
    pub(crate) mend: String,
    /// The one edit that mends it, where there is one that is plainly meant.
    pub(crate) fix: Option<Fix>,
}

impl Finding {
    fn new(what: impl Into<String>, does: impl Into<String>, mend: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            does: does.into(),
            mend: mend.into(),
            fix: None,
        }
    }

    fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }
}

/// An edit that mends something.
///
/// Two of one hook's may set the same key: whoever makes one asks anew before the next.
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
    /// Makes a file executable for whoever can read it.
    MakeExecutable(PathBuf),
    /// Lets nobody write to a file or a folder who is neither its owner nor of its group.
    Protect(PathBuf),
}

/// What the rules may look up, as Claude Code's hooks will find it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surroundings {
    /// `CLAUDE_PROJECT_DIR`; `None` where the settings are for many projects.
    pub(crate) project: Option<PathBuf>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `PATH`; `None` where it is not known.
    pub(crate) path: Option<OsString>,
}

/// The keys of a hook, as they stand in its settings file.
type Fields = Map<String, Value>;

fn text<'f>(fields: &'f Fields, key: &str) -> Option<&'f str> {
    fields.get(key).and_then(Value::as_str)
}

fn is_true(fields: &Fields, key: &str) -> bool {
    fields.get(key) == Some(&Value::Bool(true))
}
