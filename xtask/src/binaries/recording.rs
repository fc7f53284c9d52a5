//! Hooks that write about their runs: a record of payloads and answers, and an audit of decisions.
//!
//! The code is behind hookkit's features `record` and `audit`; other hooks do not contain it.

use std::path::Path;

use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::binaries::definition::Definition;
use crate::cargo::checkout::code;
use crate::cargo::metadata::HOOKKIT;
use crate::cargo::workspace::Workspace;
use crate::disk::{files, state};

/// The effect of a failed write to the audit.
#[derive(Clone, Copy, PartialEq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Audit {
    /// A hook that cannot write its line reports this on stderr, and answers
    On,
    /// A hook that cannot write its line fails, unless it denies or asks
    Required,
}

/// The files that hooks write about their runs, and the hooks' names in them.
pub(crate) struct Recording {
    /// The record. Its folder exists.
    file: Option<String>,
    audit: Option<Audited>,
    command: Command,
}

/// The audit's folder, and the SHA-256 of the code.
struct Audited {
    folder: String,
    revision: String,
    is_required: bool,
}

/// Returns a hook's command in the settings.
type Command = Box<dyn Fn(&str) -> String>;

impl Recording {
    /// Creates the folders in the user's own state; `None` if nothing is to be written. Hooks for all users have an
    /// audit for each user, below that user's home folder.
    ///
    /// # Errors
    ///
    /// Fails if the user's state folder cannot be determined, or if the workspace's Cargo.lock does not pin the
    /// dependencies of recording.
    pub(crate) fn new(
        workspace: &Workspace,
        record: bool,
        audit: Option<Audit>,
        of_all_users: bool,
        command: Command,
    ) -> Result<Option<Self>> {
        let feature = match audit {
            Some(_) => "audit",
            None if record => "record",
            None => return Ok(None),
        };
        let file = record.then(state::runs).transpose()?;
        if let Some(folder) = file.as_deref().and_then(Path::parent) {
            state::create(folder)?;
        }
        // hookkit needs this package only for that feature.
        let package = if audit.is_some() { "hookkit-spool" } else { "hookkit-secrets" };
        if let Some(lock) = &workspace.lock
            && let Some(pack) = workspace.packs.first()
        {
            ensure!(
                lock.named(package).next().is_some(),
                "hooks that {feature} their runs need {package}, which Cargo.lock does not pin; to add it:\n\
                 cargo add --dev --package {} {HOOKKIT} --features {feature}",
                pack.package
            );
        }
        let audited = |audit| {
            let mut folder = state::AUDIT_OF_EACH_USER.into();
            if !of_all_users {
                folder = state::audit()?;
                state::create(&folder)?;
            }
            anyhow::Ok(Audited {
                folder: files::utf8(&folder)?.to_owned(),
                revision: code(&workspace.root)?,
                is_required: audit == Audit::Required,
            })
        };
        Ok(Some(Self {
            file: file.map(|file| files::utf8(&file).map(str::to_owned)).transpose()?,
            audit: audit.map(audited).transpose()?,
            command,
        }))
    }

    /// Returns the features of hookkit that the hooks need.
    pub(super) fn features(&self) -> impl Iterator<Item = &'static str> {
        let record = self.file.is_some().then_some("record");
        record.into_iter().chain(self.audit.is_some().then_some("audit"))
    }

    /// Describes the files and their content.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let record = self.file.iter().map(|file| {
            format!(
                "Each hook appends its payload and its answer to {file}, which only you can read: commands, prompts, \
                 and contents of files. What looks like a secret is masked. At 32 MiB the file replaces \
                 runs.old.jsonl next to it."
            )
        });
        let audit = self.audit.iter().map(|Audited { folder, .. }| {
            let (home, whose) = match Path::new(folder).is_absolute() {
                true => ("", "you"),
                false => ("~/", "the user who runs them"),
            };
            format!(
                "The hooks append each decision to {home}{folder}, with the tool's input, for {whose} alone. What \
                 looks like a secret is masked. To ship it: cargo-hookkit audit ship --to otlp://HOST"
            )
        });
        record.chain(audit)
    }

    /// Returns the statements at the start of a hook's launcher.
    pub(super) fn statements(&self, hook: &Definition) -> String {
        let command = (self.command)(&hook.declared.name);
        let mut text = String::new();
        if let Some(file) = &self.file {
            text += &format!("    hookkit::__private::record_in({file:?}, {command:?});\n");
        }
        if let Some(Audited { folder, revision, is_required }) = &self.audit {
            text += &format!(
                "    hookkit::__private::audit_in(&hookkit::__private::Audit {{\n        folder: {folder:?},\n        \
                 command: {command:?},\n        revision: {revision:?},\n        is_required: {is_required},\n    \
                 }});\n"
            );
        }
        text
    }
}
