//! Files of variables that a command gives to a program which prints them: `docker run --env-file .env alpine env`.

use hookkit::shell::{Command, Word};

use super::{Found, Look, said};
use crate::effects::programs::Does;
use crate::files::output::Output;

impl Look<'_> {
    /// Returns the answer for a file of variables that a command has printed.
    pub(super) fn handed(&self, command: &Command) -> Option<Found> {
        let words = command.arguments();
        let options = match command.program()? {
            "docker" | "docker-compose" | "nerdctl" | "podman" | "podman-compose" => &["--env-file"][..],
            "dotenv" | "dotenv-cli" | "dotenvx" | "env-cmd" | "foreman" | "honcho" | "nf" => OF_VARIABLES,
            "bun" | "bunx" | "npm" | "npx" | "pnpm" | "pnpx" | "yarn" if runs_with_variables(words) => OF_VARIABLES,
            _ => return None,
        };
        let shows_settings = shows_settings(command);
        if !shows_settings && !prints_variables(words) {
            return None;
        }
        let output = Output {
            command,
            commands: self.commands,
            line: self.line,
            with_files: true,
        };
        if output.is_harmless() {
            return None;
        }
        let files = words.iter().enumerate().flat_map(|(at, word)| {
            options.iter().filter_map(move |option| {
                let value = word.known_start().strip_prefix(option)?;
                let next = words.get(at + 1).filter(|_| value.is_empty()).map(Word::known_start);
                Some(next.unwrap_or(value.strip_prefix('=').unwrap_or(value)))
            })
        });
        let mut files = files.peekable();
        let by_default = files.peek().is_none();
        if let Some(what) = files.find_map(|file| self.path(file)) {
            return Some(Found::Certain(said(command, Does::Read, &what)));
        }
        let is_there = || (self.folders.contexts.iter()).any(|context| context.absolute(".env").exists());
        let is_asked = by_default && (shows_settings || options.len() > 1) && is_there();
        is_asked.then(|| {
            Found::Asked(format!(
                "`{command}` prints what it takes from `.env`, an environment file"
            ))
        })
    }
}

/// Options by which programs take a file of variables.
const OF_VARIABLES: &[&str] = &["--env-file", "--env", "--file", "-e", "-f"];

fn runs_with_variables(words: &[Word]) -> bool {
    let is_one = |word: &Word| matches!(word.literal(), Some("dotenv" | "dotenv-cli" | "dotenvx" | "env-cmd"));
    words.iter().take(4).any(is_one)
}

/// Returns `true` for a `docker compose config`, in which the values of variables are.
fn shows_settings(command: &Command) -> bool {
    let has = |name: &str| command.has_argument(name);
    let is_compose = command.program().is_some_and(|name| name.ends_with("-compose"))
        || command.arguments().first().and_then(Word::literal) == Some("compose");
    let names = [
        "--hash", "--images", "--networks", "--profiles", "--quiet", "--services", "--volumes", "-q",
    ];
    is_compose && (has("config") || has("convert")) && !names.into_iter().any(has)
}

/// Returns `true` if a program that prints all variables is among some words, or in a script there.
fn prints_variables(words: &[Word]) -> bool {
    let is_script = |text: &str| {
        text.split([';', '|', '&', '\n']).any(|command| {
            let mut words = command.split_whitespace();
            let name = words.next();
            name == Some("printenv") || matches!(name, Some("env" | "export" | "set")) && words.all(|word| word == "-p")
        })
    };
    let is_last = |at: usize| at + 1 == words.len();
    words.iter().enumerate().skip(1).any(|(at, word)| match word.literal() {
        Some("printenv") => true,
        Some("env" | "export" | "set") => is_last(at),
        Some(text) => words[at - 1].literal().is_some_and(|option| option.ends_with('c')) && is_script(text),
        None => false,
    })
}
