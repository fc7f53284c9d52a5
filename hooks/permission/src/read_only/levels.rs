//! Levels of commands that a workspace may approve in addition to commands that read.

use hookkit::shell::programs::text::has_background;

use super::{are_open, scripts, up_to_the_project};
use crate::prelude::*;

/// A level of approved commands. Each level includes the levels before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Commands that change nothing.
    #[default]
    Read,
    /// Commands that run the project's code: builds, tests and linters, such as `cargo test` and `npm run lint`.
    Build,
    /// Commands that edit files of the project: `mkdir`, `touch`, `cp`, `mv`, `sed -i`, `> file`, formatters and `git add`.
    EditProject,
}

impl Level {
    /// Returns the effects of a command approved at a level above [`Level::Read`].
    pub(super) fn knows(self, command: &Command, folders: &[Context]) -> Option<Known> {
        if self == Self::Read {
            return None;
        }
        let inner = run_by_runner(command, folders);
        let command = inner.as_ref().unwrap_or(command);
        effects::builds(command).or_else(|| (self >= Self::EditProject).then(|| effects::edits(command)).flatten())
    }

    /// Returns `true` if `sed` edits the files that it names, with a script that does nothing else.
    pub(super) fn edits(self, command: &Command) -> bool {
        let others = command.arguments().iter().filter(|word| !is_in_place(word)).cloned();
        // A pattern may find a link that leads elsewhere.
        self >= Self::EditProject
            && command.is_named("sed")
            && command.arguments().iter().all(|word| word.literal().is_some())
            && scripts::sed(&others.collect::<Vec<_>>())
    }

    /// Returns `true` if a redirection writes a file of the project. A `<>`, which also reads the file, is never
    /// approved.
    pub(super) fn writes(
        self,
        operator: RedirectionOperator,
        target: &str,
        folders: &[Context],
    ) -> Result<bool, Error> {
        Ok(self.writes_files() && operator.writes() && are_open([target], folders)?)
    }

    pub(super) fn writes_files(self) -> bool {
        self >= Self::EditProject
    }
}

/// Returns `true` if a line writes files and also runs git or code of the project, which may read the written files or
/// be among them.
///
/// A build that comes first in a pipe, and whose output is written, has already begun.
pub(super) fn runs_what_it_writes(line: &str, commands: &[Command], folders: &[Context]) -> bool {
    let writes_by_name = |command: &Command| match command.name() {
        Some("cp" | "mkdir" | "mv" | "rmdir" | "tee" | "touch") => true,
        Some("sed") => command.arguments().iter().any(is_in_place),
        _ => false,
    };
    let writes = |command: &Command| {
        let is_written =
            |redirection: &Redirection| redirection.operator.writes() && !redirection.target.is("/dev/null");
        writes_by_name(command) || command.redirections.iter().any(is_written)
    };
    // In a folder with its own repository, git uses no other one.
    let is_root = || folders.iter().all(|context| context.cwd.join(".git").exists());
    let runs = |command: &Command| {
        let inner = run_by_runner(command, folders);
        let command = inner.as_ref().unwrap_or(command);
        match command.name() {
            Some("git") => !is_root() || command.has_argument("-C"),
            _ if writes_by_name(command) => false,
            _ => {
                // The line may write the settings that the command uses.
                let goes_by_settings = effects::reads(command).is_some_and(|known| known.settings().next().is_some());
                goes_by_settings || effects::builds(command).is_some() || effects::edits(command).is_some()
            }
        }
    };
    if !commands.iter().any(writes) {
        return false;
    }
    let running: Vec<usize> = (0..commands.len()).filter(|&at| runs(&commands[at])).collect();
    let is_plain = commands.iter().all(|command| command.via.iter().all(|via| *via == Via::Pipeline));
    !running.is_empty() && (running != [0] || !is_plain || has_background(line))
}

/// Returns `true` for the option that makes `sed` edit files.
fn is_in_place(word: &Word) -> bool {
    word.is("-i --in-place")
}

/// Returns `true` if `cp` or `mv` has only files of the project, without links, and all their targets are in the
/// project.
pub(super) fn moves_files(words: &[Word], folders: &[Context]) -> Result<bool, Error> {
    let operands: Vec<&str> = words.iter().filter_map(Word::literal).filter(|word| !word.starts_with('-')).collect();
    let Some((to, from)) = operands.split_last().filter(|(_, from)| !from.is_empty()) else {
        return Ok(false);
    };
    for context in folders {
        for file in from {
            let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_file());
            if !is_file(&context.absolute(file)) {
                return Ok(false);
            }
            let name = Path::new(file).file_name().and_then(OsStr::to_str).unwrap_or_default();
            let within = format!("{to}/{name}");
            if context.absolute(to).is_dir() && !are_open([within.as_str()], folders)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Runners of a project, with the words before the program that they run.
const RUNNERS: &str = "bundle exec|npx --no|npx --no-install|pipenv run|pnpm exec|poetry run|uv run";

/// Returns the command that a runner of the project runs, such as `pytest` in `uv run pytest`. `npx` would fetch a
/// program that is not installed.
fn run_by_runner(command: &Command, folders: &[Context]) -> Option<Command> {
    let mut words = command.words.iter().map_while(Word::literal);
    let (runner, name) = (words.next()?, words.next()?);
    let before = match runner {
        _ if RUNNERS.split('|').any(|known| known.split_once(' ') == Some((runner, name))) => 2,
        "npx" if folders.iter().all(|context| is_installed(name, context)) => 1,
        _ => return None,
    };
    let mut inner = command.clone();
    inner.words.drain(..before);
    Some(inner)
}

/// Returns `true` if the project's packages have a program of this name.
fn is_installed(name: &str, context: &Context) -> bool {
    !name.starts_with('-')
        && !name.contains(['/', '@'])
        && up_to_the_project(context).any(|folder| folder.join("node_modules/.bin").join(name).exists())
}
