//! Files with secrets that git takes although no word names them: `git add -A`.

use super::Look;
use crate::git;
use crate::prelude::*;
use crate::repository::Takes;

impl Look<'_> {
    /// Returns the finding about an environment file, or any ignored file with secrets, that a git command takes,
    /// unless the line makes git ignore it.
    pub(super) fn taken(&self, command: &Command) -> Option<Found> {
        let takes = Takes::of(&Git::of(command)?)?;
        self.folders_of(command).contexts.iter().find_map(|context| {
            let files = takes.files(&git::folder(command, context));
            files.iter().find_map(|file| {
                let shown = file.strip_prefix(&context.cwd).unwrap_or(file).to_str()?;
                let what = self.path(shown).filter(|what| takes.is_forced || what.ends_with("an environment file"))?;
                (!self.ignores(file.file_name()?.to_str()?)).then(|| {
                    Asked(format!(
                        "`{command}` includes {what}, so others get it. Add files by name, or put it into .gitignore"
                    ))
                })
            })
        })
    }

    /// Returns `true` if the line writes a name into `.gitignore`.
    fn ignores(&self, name: &str) -> bool {
        self.commands
            .iter()
            .filter(|command| {
                command.targets().any(|word| word.literal().is_some_and(|file| file.ends_with(".gitignore")))
            })
            .any(|command| command.to_string().contains(name))
    }
}
