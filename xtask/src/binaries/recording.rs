//! Hooks that record their runs: payloads and answers.
//!
//! hookkit's feature `record` has the code, which no other hook contains.

use anyhow::{Result, ensure};

use crate::binaries::definition::Definition;
use crate::cargo::metadata::HOOKKIT;
use crate::cargo::workspace::Workspace;
use crate::disk::{files, state};

/// The file that hooks record their runs in, and the names that they have there.
pub(crate) struct Recording {
    /// The file. Its folder exists.
    file: String,
    command: Command,
}

/// Returns a hook's command in the settings.
type Command = Box<dyn Fn(&str) -> String>;

/// The package that masks secrets in a record. hookkit needs it for that only.
const SECRETS: &str = "hookkit-secrets";

impl Recording {
    /// Creates the folder of the user's own file, to record there.
    ///
    /// # Errors
    ///
    /// If the user has no folder of their own for it, or the workspace's Cargo.lock does not pin the dependencies of
    /// recording.
    pub(crate) fn new(workspace: &Workspace, command: Command) -> Result<Self> {
        let file = state::runs()?;
        state::create(file.parent().unwrap_or(&file))?;
        if let Some(lock) = &workspace.lock
            && let Some(pack) = workspace.packs.first()
        {
            ensure!(
                lock.named(SECRETS).next().is_some(),
                "hooks that record their runs need {SECRETS}, which Cargo.lock does not pin; to add it:\n\
                 cargo add --dev --package {} {HOOKKIT} --features record",
                pack.package
            );
        }
        Ok(Self {
            file: files::utf8(&file)?.to_owned(),
            command,
        })
    }

    /// Describes the file and its content.
    pub(crate) fn note(&self) -> String {
        format!(
            "The hooks append what they get and what they answer to {}, for you alone: commands, prompts, and texts of \
             files. What looks like a secret is masked. At 32 MiB the file replaces runs.old.jsonl next to it.",
            self.file
        )
    }

    /// Returns the statement that a hook's launcher begins with.
    pub(super) fn statement(&self, hook: &Definition) -> String {
        let (file, command) = (&self.file, (self.command)(&hook.declared.name));
        format!("    hookkit::__private::record_in({file:?}, {command:?});\n")
    }
}
