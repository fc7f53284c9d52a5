//! Replaces commands with the project's equivalents.

mod manager;

use std::collections::BTreeMap;

use hookkit::effects::builds;
use hookkit::permission::bash_rules;
use hookkit::process::shell_word;
use hookkit::shell::{self, Command, Via};

use crate::prelude::*;

/// Replaces commands with the project's own: pnpm instead of npm, `just test` instead of `pytest`.
///
/// A model uses the commands that most projects use. With the wrong package manager, a second lock file is left behind.
/// Tests prove little if they do not run as the project runs them.
///
/// The file `.claude/commands.toml` lists the project's commands. In a linked working tree, the file of the main
/// working tree is used if it exists:
///
/// ```toml
/// npm = "pnpm"
/// pytest = "just test"
/// "cargo test" = "cargo nextest run"
/// ```
///
/// If several rows match, the row whose command has the most words applies. The command is replaced if that is certain
/// to be right:
///
/// - Both commands build or test the project according to hookkit's own table, or both are the same command of npm,
///   pnpm, yarn or bun. This is because guards judge the old command, and the file can come with a checkout.
/// - The row replaces a program with a program, or the command has no more words than the row.
/// - No rule of the settings that denies Bash commands or asks about them can apply to the old command.
/// - The rest of the line still runs the same commands, which is not certain in a quoted script.
///
/// The model then reads, next to the result, which command was run. In all other cases the call is denied, and the
/// model reads the right command.
///
/// Without the file, the package manager is determined by `packageManager` in `package.json`, or by the only lock file,
/// in the folder of the command or above it in the project. The hook replaces pnpm, yarn, bun and npm with each other,
/// and pip with uv, poetry, PDM or Pipenv. `npm install` and `npm run NAME` without further words are replaced. Other
/// commands that install, remove or run something are denied, and the reason includes the folder or workspace that they
/// name. Commands for all projects (`-g`, `--user`) and all others (`npm publish`) pass.
///
/// # What it cannot see
///
/// - Commands in scripts, in containers and on other machines, commands whose program is a path or a variable, and
///   `npx`.
/// - Folders entered by a `cd` with a variable: no package manager is found there.
/// - Words that the new command does not accept: programs are replaced as the file says.
///
/// # Errors
///
/// If the file is not TOML with a string for each command, or has a row without words, the user reads which line is
/// wrong, and the command runs. The same happens if the file or the rules of the settings cannot be read.
#[hook(PreToolUse, timeout = 5, on_failure = continue)]
pub fn use_project_commands(
    call: PreToolUse<tool::Bash>,
    context: Context,
    environment: Environment,
) -> Result<Option<PreToolUseAnswer<tool::Bash>>, Error> {
    let rows = rows(&context)?;
    let mut input = call.input;
    let mut notes = Vec::new();
    // Each round replaces one command. Rows that lead back to each other would loop forever.
    for _ in 0..MOST {
        let Some((command, other)) = first_other(&input.command, rows.as_ref(), &context)? else {
            break;
        };
        let Other { old, new, file, .. } = &other;
        let note = format!("this project uses `{new}` instead of `{old}` (`{file}`)");
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
            return Ok(Some(PreToolUseAnswer::deny(format!("{note}: run `{whole}`{place}"))));
        };
        input.command = line;
        notes.push(note);
    }
    if notes.is_empty() {
        return Ok(None);
    }
    let note = format!("{}, so `{}` was run", notes.join("; "), input.command);
    Ok(Some(PreToolUseAnswer::pass().with_context(note).with_updated_input(input)))
}

/// Name of the file with the project's commands.
const FILE: &str = ".claude/commands.toml";

/// Maximum number of commands to replace in a line.
const MOST: usize = 16;

/// A command that the project uses instead of another one.
struct Other<'r> {
    old: &'r str,
    new: &'r str,
    /// The new command's words.
    command: Vec<&'r str>,
    /// Number of words of the old command that the new ones replace.
    words: usize,
    /// The file that names the command.
    file: &'static str,
    /// The old command's words for another folder or a workspace.
    elsewhere: Range<usize>,
}

impl Other<'_> {
    /// Returns the word to replace in a command, and its replacement, if the words after it can stay.
    fn change<'c>(&self, command: &'c Command) -> Option<(&'c Word, &[&str])> {
        let before = self.words - 1;
        let is_whole = self.words == 1 && self.command.len() == 1 || command.words.len() == self.words;
        let (same, with) = self.command.split_at_checked(before)?;
        (is_whole && !with.is_empty() && begins(command, same)).then(|| (&command.words[before], with))
    }

    /// Returns the folder or workspace that the old command names.
    fn place<'c>(&self, command: &'c Command) -> Option<&'c str> {
        let word = command.words.get(self.elsewhere.clone())?.last()?.literal()?;
        Some(word.split_once('=').map_or(word, |(_, place)| place))
    }

    /// Returns the whole replacement for a command in a line.
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

/// Returns `true` if both commands build or test the project, or are the same command of two package managers.
///
/// Guards judge the command before it is replaced, and the file can come with a checkout: it must not turn `ls` into
/// something else.
fn are_alike(old: &Command, new: &str) -> bool {
    let script = shell::analyze(new);
    let Ok([new]) = script.all_commands() else { return false };
    let are_managers = || manager::of_node(old).and(manager::of_node(new)).is_some();
    let words = |command: &Command| command.words[1..].iter().map(Word::to_string).collect::<Vec<_>>();
    builds(old).and(builds(new)).is_some() || are_managers() && words(old) == words(new)
}

type Rows = BTreeMap<String, String>;

/// Reads the project's table of commands.
fn rows(context: &Context) -> Result<Option<Rows>, Error> {
    let Some(text) = ConfigFile::of_project(context, FILE).text()? else {
        return Ok(None);
    };
    let wrong = |at: usize| {
        let line = text[..at].matches('\n').count() + 1;
        Error::msg(format_args!(
            "`{FILE}` has no effect until it is fixed: line {line} is not a command with its replacement, such as `npm = \"pnpm\"`"
        ))
    };
    let table = DeTable::parse(&text).map_err(|err| wrong(err.span().unwrap_or_default().start))?;
    let rows = table.get_ref().iter().map(|(old, new)| {
        let words = new.get_ref().as_str().unwrap_or_default();
        if [old.get_ref(), words].iter().all(|text| !text.trim().is_empty()) {
            Ok((old.get_ref().to_string(), words.to_owned()))
        } else {
            Err(wrong(old.span().start))
        }
    });
    rows.collect::<Result<_, _>>().map(Some)
}

/// Returns the first command in a line that the project replaces with another one.
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

/// Returns the folder that a command changes to; `None` if it cannot be determined.
fn after(command: &Command, folder: PathBuf, context: &Context) -> Option<PathBuf> {
    match (command.name(), command.arguments()) {
        (Some("cd"), [goal]) => Some(context.absolute(folder.join(goal.literal()?))),
        (Some("cd" | "popd" | "pushd"), _) => None,
        _ => Some(folder),
    }
}

/// Returns the row with the most words that matches a command.
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
