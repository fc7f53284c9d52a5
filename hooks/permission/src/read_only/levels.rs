//! Levels: commands that are let through besides those that read, if a workspace has chosen so.

use hookkit::effects::{self, Known};
use hookkit::shell::{Command, ExpansionKind, Part, RedirectionOperator, Word};
use hookkit::{Context, Error};
use serde::{Deserialize, Serialize};

use super::programs::has_only_options;
use super::{are_open, scripts};

/// A level of commands that are let through. Each level includes those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Commands that change nothing.
    #[default]
    Read,
    /// Commands that run the project's code: builds, tests and linters, as `cargo test` and `npm run lint`.
    Build,
    /// Commands that edit files of the project: `mkdir`, `touch`, `cp`, `mv`, `sed -i`, `> file`, formatters and `git add`.
    EditProject,
}

impl Level {
    /// Returns what is known of a command at a level above [`Level::Read`].
    pub(super) fn knows(self, command: &Command, folders: &[Context]) -> Option<Known> {
        if self == Self::Read {
            return None;
        }
        let inner = run_by_runner(command, folders);
        let command = inner.as_ref().unwrap_or(command);
        let builds = effects::builds(command);
        builds.or_else(|| (self >= Self::EditProject).then(|| effects::edits(command)).flatten())
    }

    /// Returns `true` if a command edits files that it names, and none but these.
    pub(super) fn edits(self, command: &Command) -> bool {
        let words = command.arguments();
        let only = |letters: &str, long: &str| has_only_options(words, letters, long);
        // Of what `find` finds some is hidden.
        let are_known = || words.iter().all(|word| !word.parts.iter().any(is_inserted));
        self >= Self::EditProject
            && are_known()
            && match command.name() {
                Some("mkdir") => only("pv", "parents verbose"),
                Some("touch") => only("acm", "no-create"),
                Some("rmdir") => only("pv", "parents verbose"),
                Some("cp") => only(
                    "aifnpRruv",
                    "archive interactive no-clobber preserve recursive update verbose",
                ),
                Some("mv") => only("finuv", "interactive no-clobber update verbose"),
                Some("tee") => only("a", "append"),
                Some("git") => adds(words),
                Some("sed") => {
                    let is_in_place = |word: &&Word| matches!(word.literal(), Some("-i" | "--in-place"));
                    scripts::sed(
                        &words
                            .iter()
                            .filter(|word| !is_in_place(word))
                            .cloned()
                            .collect::<Vec<_>>(),
                    )
                }
                _ => false,
            }
    }

    /// Returns `true` if a redirection writes a file of the project.
    pub(super) fn writes(
        self,
        operator: RedirectionOperator,
        target: &str,
        folders: &[Context],
    ) -> Result<bool, Error> {
        use RedirectionOperator as Operator;
        let is_output = matches!(
            operator,
            Operator::Output
                | Operator::Append
                | Operator::Clobber
                | Operator::OutputAndError
                | Operator::AppendOutputAndError
        );
        Ok(self >= Self::EditProject && is_output && are_open([target], folders)?)
    }
}

/// `git add` of what is named, and of all that is tracked or not ignored.
fn adds(words: &[Word]) -> bool {
    let [name, rest @ ..] = words else { return false };
    name.literal() == Some("add") && has_only_options(rest, "Anuv", "all dry-run update verbose")
}

fn is_inserted(part: &Part) -> bool {
    matches!(part, Part::Expansion(expansion) if expansion.kind == ExpansionKind::Arguments)
}

/// Runners of a project, with the words before the program that they run.
const RUNNERS: &[&[&str]] = &[
    &["bundle", "exec"],
    &["npx", "--no"],
    &["npx", "--no-install"],
    &["pipenv", "run"],
    &["pnpm", "exec"],
    &["poetry", "run"],
    &["uv", "run"],
];

/// The command that a runner of the project runs: `pytest` of `uv run pytest`. What is not installed `npx` fetches.
fn run_by_runner(command: &Command, folders: &[Context]) -> Option<Command> {
    let words: Vec<&str> = command.words.iter().map_while(Word::literal).collect();
    let runner = RUNNERS.iter().find(|runner| words.starts_with(runner));
    let before = match (runner, words.as_slice()) {
        (Some(runner), _) => runner.len(),
        (None, ["npx", name, ..]) if folders.iter().all(|context| is_installed(name, context)) => 1,
        _ => return None,
    };
    let mut inner = command.clone();
    inner.words.drain(..before);
    Some(inner)
}

/// Returns `true` if the project has a program of this name among its packages.
fn is_installed(name: &str, context: &Context) -> bool {
    let folders = context.cwd.ancestors();
    let mut folders = folders.take_while(|folder| folder.starts_with(&context.project_dir));
    !name.starts_with('-')
        && !name.contains(['/', '@'])
        && folders.any(|folder| folder.join("node_modules/.bin").join(name).exists())
}
