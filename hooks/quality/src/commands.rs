//! The commands that a project uses.

mod manager;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use hookkit::config_file::ConfigFile;
use hookkit::effects::builds;
use hookkit::permission::bash_rules;
use hookkit::prelude::*;
use hookkit::process::shell_word;
use hookkit::shell::{self, Command, Via, Word};
use toml::de::DeTable;

/// Has the model run the project's own commands: pnpm in place of npm, `just test` in place of `pytest`.
///
/// A model goes by what most projects use. In one with another package manager that leaves a second lock file behind, and a
/// test that does not run as the project runs it proves little.
///
/// The file `.claude/commands.toml` says which command the project uses for which; in a linked working tree that of the main
/// one goes first:
///
/// ```toml
/// npm = "pnpm"
/// pytest = "just test"
/// "cargo test" = "cargo nextest run"
/// ```
///
/// Of several rows, the one with the most words of the command counts. The command is changed in place where it is certain:
///
/// - both commands build or test the project by hookkit's own table, or are the same of npm, pnpm, yarn or bun, since guards judge the
///   old one and a checkout brings the file;
/// - the row has a program for a program, or the command has no more words than the row;
/// - no rule of the settings that denies or asks about Bash commands may be about the old command;
/// - the line runs the same commands but for this one, which does not hold in a quoted script.
///
/// The model then reads next to the result what was run. Otherwise the call is denied, with the right command.
///
/// Without the file, the package manager is found by `packageManager` in `package.json`, or by the only lock file, in the folder
/// of the command or above it in the project: pnpm, yarn, bun and npm in place of each other, and uv, poetry, PDM and Pipenv in
/// place of pip. `npm install` and `npm run NAME` without further words are changed, and other commands that install, remove or
/// run something are denied, with the folder or the workspace that they name; those for all projects (`-g`, `--user`), and all others (`npm publish`), pass.
///
/// # What it cannot see
///
/// - Commands in scripts, by the path of their program, by a variable, in containers, on other machines, and `npx`.
/// - A folder that a `cd` by a variable leads to: there no package manager is found.
/// - Whether the other command takes the words that follow: a program is put in the place of a program as the file says.
///
/// # Errors
///
/// When the file is not TOML with a text for each command, or has a row without words: the user reads which line is wrong, and
/// the work goes on. So it is when the file or the rules of the settings cannot be read.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn use_project_commands(
    call: PreToolUse<tool::Bash>,
    context: Context,
    environment: Environment,
) -> Result<PreToolUseAnswer<tool::Bash>, Error> {
    let rows = rows(&context)?;
    let mut input = call.input;
    let mut notes = Vec::new();
    // A round replaces one command. Rows that lead back to each other would go on for ever.
    for _ in 0..MOST {
        let Some((command, other)) = first_other(&input.command, rows.as_ref(), &context)? else {
            break;
        };
        let Other { old, new, file, .. } = &other;
        let note = format!("this project uses `{new}` in place of `{old}` (`{file}`)");
        let whole = other.whole(&command, &input.command);
        let changed = match other.change(&command).filter(|_| are_alike(&command, &whole)) {
            Some((word, with)) => {
                let rules = bash_rules(&context, environment)?;
                shell::replaced_by_words(&input.command, word, with, &rules)
            }
            None => None,
        };
        let Some(line) = changed else {
            let place = other.place(&command);
            let place = place.map_or(String::new(), |place| format!(" in `{place}`"));
            return Ok(PreToolUseAnswer::deny(format!("{note}: run `{whole}`{place}")));
        };
        input.command = line;
        notes.push(note);
    }
    if notes.is_empty() {
        return Ok(PreToolUseAnswer::pass());
    }
    let note = format!("{}, so `{}` was run", notes.join("; "), input.command);
    Ok(PreToolUseAnswer::pass().with_context(note).with_updated_input(input))
}

/// The file of the project's commands.
const FILE: &str = ".claude/commands.toml";

/// Maximum number of commands of a line that are changed.
const MOST: usize = 16;

/// A command that the project uses in place of another one.
struct Other<'r> {
    old: &'r str,
    new: &'r str,
    /// The new command's words.
    command: Vec<&'r str>,
    /// Number of words of the old command that these replace.
    words: usize,
    /// The file that says so.
    file: &'static str,
    /// The words by which the old command is about another folder or a workspace.
    elsewhere: Range<usize>,
}

impl Other<'_> {
    /// Returns the word of a command to replace, and the words in its place, if the words that follow may stay.
    fn change<'c>(&self, command: &'c Command) -> Option<(&'c Word, &[&str])> {
        let before = self.words - 1;
        let is_whole = self.words == 1 && self.command.len() == 1 || command.words.len() == self.words;
        let (same, with) = self.command.split_at_checked(before)?;
        (is_whole && !with.is_empty() && begins(command, same)).then(|| (&command.words[before], with))
    }

    /// Returns the folder or the workspace that the old command names.
    fn place<'c>(&self, command: &'c Command) -> Option<&'c str> {
        let word = command.words.get(self.elsewhere.clone())?.last()?.literal()?;
        Some(word.split_once('=').map_or(word, |(_, place)| place))
    }

    /// Returns the command to run in place of one of a line.
    fn whole(&self, command: &Command, line: &str) -> String {
        let is_elsewhere = |at: usize| self.elsewhere.contains(&at);
        let rest = command.words.iter().enumerate().filter(|(at, _)| *at > 0 && !is_elsewhere(*at));
        let rest = rest.skip(self.words - 1).map(|(_, word)| match word.literal() {
            Some(text) => shell_word(text).into_owned(),
            None => line.get(word.span.clone()).unwrap_or("…").to_owned(),
        });
        let words = self.command.iter().map(|&word| word.to_owned());
        words.chain(rest).collect::<Vec<_>>().join(" ")
    }
}

/// Returns `true` if both commands build or test the project, or are the same of two package managers.
///
/// Guards judge the command before it is changed, and a checkout brings the file: it must not have `ls` be another thing.
fn are_alike(old: &Command, new: &str) -> bool {
    let script = shell::analyze(new);
    let Ok([new]) = script.all_commands() else { return false };
    let are_managers = || manager::of_node(old).and(manager::of_node(new)).is_some();
    let words = |command: &Command| command.words[1..].iter().map(Word::to_string).collect::<Vec<_>>();
    builds(old).and(builds(new)).is_some() || are_managers() && words(old) == words(new)
}

type Rows = BTreeMap<String, String>;

/// Reads the project's file.
fn rows(context: &Context) -> Result<Option<Rows>, Error> {
    let Some(text) = ConfigFile::of_project(context, FILE).text()? else {
        return Ok(None);
    };
    let wrong = |at: usize| {
        let line = text[..at].matches('\n').count() + 1;
        Error::msg(format_args!(
            "`{FILE}` has no effect until it is fixed: line {line} is not a command and the one to run, such as `npm = \"pnpm\"`"
        ))
    };
    let table = DeTable::parse(&text).map_err(|err| wrong(err.span().unwrap_or_default().start))?;
    let rows = table.get_ref().iter().map(|(old, new)| {
        let words = new.get_ref().as_str().unwrap_or_default();
        match [old.get_ref(), words].iter().all(|text| !text.trim().is_empty()) {
            true => Ok((old.get_ref().to_string(), words.to_owned())),
            false => Err(wrong(old.span().start)),
        }
    });
    rows.collect::<Result<_, _>>().map(Some)
}

/// Returns the first command of a line in whose place the project uses another one.
fn first_other<'r>(
    line: &str,
    rows: Option<&'r Rows>,
    context: &Context,
) -> Result<Option<(Command, Other<'r>)>, Error> {
    let script = shell::analyze(line);
    let mut folder = Some(context.cwd.clone());
    let is_here = |command: &&Command| !command.via.iter().any(Via::is_elsewhere);
    for command in script.commands().iter().filter(is_here) {
        let other = match (rows, &folder) {
            (Some(rows), _) => of_rows(command, rows),
            (None, Some(folder)) => manager::other(command, folder, context)?,
            (None, None) => None,
        };
        // A part of the project's own command: `pytest` of `uv run pytest`.
        let is_part = |other: &Other| {
            let mut outer = script.commands().iter().filter(|outer| begins(outer, &other.command));
            outer.any(|outer| outer.words.iter().any(|word| word.span == command.words[0].span))
        };
        if let Some(other) = other.filter(|other| !is_part(other)) {
            return Ok(Some((command.clone(), other)));
        }
        folder = folder.and_then(|folder| after(command, folder, context));
    }
    Ok(None)
}

/// Returns `true` if a command begins with these words.
fn begins(command: &Command, words: &[&str]) -> bool {
    let mut own = command.words.iter().map(Word::literal);
    words.iter().all(|word| own.next() == Some(Some(*word)))
}

/// Returns the folder after a command; `None` if it cannot be determined.
fn after(command: &Command, folder: PathBuf, context: &Context) -> Option<PathBuf> {
    match (command.name(), command.arguments()) {
        (Some("cd"), [goal]) => Some(context.absolute(folder.join(goal.literal()?))),
        (Some("cd" | "popd" | "pushd"), _) => None,
        _ => Some(folder),
    }
}

/// Returns the row about a command with the most words.
fn of_rows<'r>(command: &Command, rows: &'r Rows) -> Option<Other<'r>> {
    let rows = rows.iter().map(|(old, new)| {
        let words = [old, new].map(|text| text.split_ascii_whitespace().collect::<Vec<_>>());
        (old, new, words)
    });
    let rows = rows.filter(|(.., [old, _])| begins(command, old));
    let (old, new, [words, command]) = rows.max_by_key(|(.., [old, _])| old.len())?;
    Some(Other { old, new, words: words.len(), command, file: FILE, elsewhere: 0..0 })
}

#[cfg(test)]
mod tests;
