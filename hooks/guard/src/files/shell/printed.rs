//! Services, password managers and keychains that print their secrets.

use hookkit::effects::prints_secret;
use hookkit::secrets::addresses::{is_of_machine, speaks_of_credentials};

use super::{Look, said};
use crate::effects::programs::sends;
use crate::files::output::{Output, file};
use crate::prelude::*;

impl Look<'_> {
    /// Returns the finding about the first command that prints a secret where the model would read it: not into another program, a
    /// file or a variable.
    pub(super) fn printed(&self) -> Option<Found> {
        let speaks = speaks_of_credentials(self.line.text);
        let with_files = |command: &Command| exports_key(command) || self.environment_of(command).is_some();
        let prints = |command: &&Command| {
            let asks = || {
                (speaks || self.line.text.contains(['$', '['])) && asks_machine(command, &self.values, self.line.text)
            };
            let prints = prints_secret(command) || asks();
            exports_key(command) || prints && (file(command).is_none() || with_files(command))
        };
        /// Maximum number of commands to judge.
        const MOST: usize = 64;
        let secrets: Vec<&Command> = self.commands.iter().filter(prints).take(MOST + 1).collect();
        if secrets.len() > MOST {
            let first = secrets[0];
            return Some(Asked(format!("`{first}` and many more commands may print a secret")));
        }
        let found = secrets.into_iter().find(|command| {
            let output =
                Output { command, commands: self.commands, line: self.line.text, with_files: with_files(command) };
            output.is_shown() && !output.is_harmless()
        })?;
        if let Some(what) = self.environment_of(found) {
            return Some(Certain(said(found, Does::Read, &what)));
        }
        Some(Asked(if exports_key(found) {
            format!("`{found}` exports a private key from its key ring")
        } else {
            format!(
                "`{found}` prints a secret, which the model then reads. A command that needs it can read it directly: \
                 `x --token \"$(…)\"`"
            )
        }))
    }

    /// Describes the file of variables that a command names.
    fn environment_of(&self, command: &Command) -> Option<String> {
        command
            .starts()
            .map(|word| after_last(word, '='))
            .filter_map(|name| self.path(name.trim_start_matches("-e").trim_start_matches("-f")))
            .find(|what| what.ends_with("an environment file"))
    }
}

/// Returns `true` for a command that exports a private key from its key ring, also into a file.
fn exports_key(command: &Command) -> bool {
    command.is("gpg gpg2") && command.starts().any(|word| word.starts_with("--export-secret-"))
}

/// Returns `true` for a command that requests, or may request, a cloud machine's credentials.
fn asks_machine(command: &Command, values: &[String], line: &str) -> bool {
    /// Maximum number of parts of code to judge.
    const MOST: usize = 2_000;
    if !sends(command) && !is_interpreter(command) {
        return false;
    }
    let words: Vec<&Word> = command.texts().skip(1).collect();
    let is_there = |text: &str| {
        names_in(text, "./:[]%@_-")
            .take(MOST)
            .any(|part| is_of_machine(part) || part.rsplit_once(':').is_some_and(|(_, host)| is_of_machine(host)))
    };
    let speaks = || words.iter().any(|word| speaks_of_credentials(&word.to_string()));
    words.iter().any(|word| {
        let text = word.to_string();
        match word.literal() {
            Some(_) => is_there(&text) && speaks(),
            // To the shell, the `?` in a long address is a pattern.
            None => {
                is_there(line.get(word.span.clone()).unwrap_or(&text))
                    || values.iter().any(|value| is_there(&text.replace('…', value)))
            }
        }
    })
}
