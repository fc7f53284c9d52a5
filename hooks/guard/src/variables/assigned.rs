//! Variables that commands set, with their values where these are certain.

use crate::folders::{goes, has_definition};
use crate::prelude::*;

use super::{MADE, with_parts};

/// A value assigned to a variable.
pub(crate) enum Value<'c> {
    One(Cow<'c, Word>),
    /// The elements of an array, or the words of a loop.
    Several(&'c [Word]),
}

impl Value<'_> {
    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::One(word) => word.literal(),
            Self::Several(_) => None,
        }
    }
}

/// Builtins whose arguments are names of variables that they set or remove.
const SETS: &str = "getopts mapfile printf read readarray unset vared wait";

/// Returns `true` for a builtin whose arguments are assignments.
fn declares(name: &str) -> bool {
    lists("declare export local readonly typeset", name)
}

/// Returns the variables that a command assigns, directly or by `export`, with their values.
pub(crate) fn assigned(command: &Command) -> impl Iterator<Item = (&str, Value<'_>)> {
    let is_builtin = command.name().is_some_and(declares);
    let by_argument = command.arguments().iter().filter(move |_| is_builtin).filter_map(|word| {
        let (name, value) = word.known_start().split_once('=')?;
        let parts = [Part::Literal(value.to_owned())].into_iter().chain(word.parts[1..].iter().cloned()).collect();
        Some((name, Value::One(Cow::Owned(with_parts(word, parts)))))
    });
    let assignments = command.assignments.iter().map(|assignment| {
        let value = match &assignment.elements {
            Some(elements) => Value::Several(elements),
            None => Value::One(Cow::Borrowed(&assignment.value)),
        };
        (assignment.name.as_str(), value)
    });
    assignments.chain(by_argument)
}

/// Returns `true` for a command that only sets variables, for all later commands.
pub(super) fn is_here(command: &Command) -> bool {
    let sets_all = || command.arguments().iter().all(|word| word.known_start().contains('=') && !word.is_option());
    // Before a command, the assignment is only for that command, except with some builtins.
    let is_alone = command.words.is_empty() || command.is_named("export local readonly") && sets_all();
    is_alone && (command.via.iter()).all(|via| matches!(via, Via::Loop | Via::Function(_)))
}

/// Returns `true` for a builtin that may set variables of the shell.
pub(super) fn sets_variables(name: &str) -> bool {
    declares(name) || lists(SETS, name) || lists(". eval source", name)
}

/// Returns the variables that a builtin sets or removes, each with its text if that is certain: `read x`.
pub(super) fn set_otherwise(command: &Command) -> Vec<(&str, Option<&Word>)> {
    if let [option, name, format] = command.arguments()
        && command.is_named("printf")
        && option.is("-v")
        && let (Some(name), Some(text)) = (name.literal(), format.literal())
    {
        return vec![(name, Some(format).filter(|_| !text.contains(['%', '\\'])))];
    }
    let names = command.starts().filter_map(|word| word.trim_start_matches("-v").split(['=', '+', '[']).next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && !name.starts_with('-')).collect();
    let is_read = command.is_named("read") && names.len() == 1;
    let text = command.input().filter(|text| is_read && text.literal().is_some());
    let sets = command.is_named(SETS);
    let others = names.into_iter().filter(|_| sets).map(|name| (name, text));
    let elements = command.assignments.iter().filter_map(|set| set.name.split_once('['));
    let added = command.starts().filter_map(|word| word.split_once("+="));
    others.chain(elements.chain(added).map(|(name, _)| (name, None))).collect()
}

/// Returns the parts of a word whose text, or folder, is certain.
pub(super) fn known(word: &Word) -> Option<Vec<Part>> {
    let is_known = |part: &Part| match part {
        Part::Literal(text) => !text.contains(['*', '?', '[', '\t', '\n']),
        Part::Expansion(expansion) => matches!(
            expansion.kind,
            ExpansionKind::Tilde
                | ExpansionKind::Home
                | ExpansionKind::Glob
                | ExpansionKind::Bracket
                | ExpansionKind::Number
        ),
    };
    let is_empty = word.parts.is_empty() || word.literal().is_some_and(|text| text.trim().is_empty());
    let is_split =
        word.literal().is_none() && word.parts.iter().any(|part| part.literal().is_some_and(|text| text.contains(' ')));
    (!is_empty && !is_split && word.parts.iter().all(is_known)).then(|| word.parts.clone())
}

/// Returns the parts of a word, with placeholders for output whose exact text makes no difference, and `true` if they cannot be
/// empty.
pub(super) fn value_of(word: &Word, line: Line) -> Option<(Vec<Part>, bool)> {
    if let Some(parts) = known(word) {
        return Some((parts, true));
    }
    let mut within =
        line.script.commands().iter().filter(|command| command.is_within(&word.span) && !command.words.is_empty());
    let command = match (within.next(), within.next()) {
        (command, None) => command,
        _ => return None,
    };
    let mut printed = command.and_then(|command| {
        output_of(command, word.parts.len() == 1).map(Cow::Borrowed).or_else(|| top_of(command, line).map(Cow::Owned))
    });
    let is_certain = printed.as_deref() != Some(MADE);
    let parts = word.parts.iter().map(|part| match part {
        Part::Literal(_) => Some(part.clone()),
        Part::Expansion(expansion) => {
            let text = match expansion.kind {
                ExpansionKind::Number => "0".into(),
                ExpansionKind::Command => printed.take()?,
                _ => return None,
            };
            Some(Part::Literal(text.into_owned()))
        }
    });
    Some((known(&with_parts(word, parts.collect::<Option<_>>()?))?, is_certain))
}

/// Git commands that print the current branch.
const BRANCH: &str = "branch --show-current|name-rev --name-only HEAD|rev-parse --abbrev-ref @|rev-parse --abbrev-ref HEAD|\
    rev-parse --symbolic-full-name HEAD|symbolic-ref --short HEAD|symbolic-ref HEAD";

/// Git commands that print the repository's folder or a folder in it, with the printed folder's name.
const GIT_FOLDERS: [(&str, &str); 4] = [
    ("git rev-parse --absolute-git-dir", ".git"),
    ("git rev-parse --git-common-dir", ".git"),
    ("git rev-parse --git-dir", ".git"),
    ("git rev-parse --git-path hooks", ".git/hooks"),
];

/// Returns the root of the working tree that git prints in the session's folder, unless the line changes the folder
/// before that.
fn top_of(command: &Command, line: Line) -> Option<String> {
    let leads = |other: &Command| goes(other) && other.span.end <= command.span.start;
    let is_here = command.to_string() == "git rev-parse --show-toplevel"
        && !line.text.contains("GIT_")
        && !line.text.contains("worktree")
        && !command.via.contains(&Via::Loop)
        && !line.script.commands().iter().any(leads)
        && !has_definition(line.script);
    if !is_here {
        return None;
    }
    let here = &line.context.cwd;
    let top = here.ancestors().find(|folder| WorkTree::is_root(folder))?;
    // A link, or a git setting, may lead into another one.
    (top.canonicalize().ok()? == WorkTree::around(here).ok()??.root()).then(|| top.to_str().map(str::to_owned))?
}

/// Returns a placeholder for a command's output: a folder of `mktemp`, a time without a slash, `HEAD` for the current branch, or
/// the repository's folder.
fn output_of(command: &Command, is_alone: bool) -> Option<&'static str> {
    let words = command.arguments();
    // A template may be in another folder.
    let is_made = |word: &Word| {
        let is_temporary = |text: &str| text.starts_with("/tmp/") && !text.contains("..");
        !word.known_start().starts_with("-p")
            && word.literal().is_some_and(|text| !text.contains('/') || is_temporary(text))
    };
    match command.program()? {
        "mktemp" if is_alone && words.iter().all(is_made) => Some(MADE),
        "date" if prints_time(command) => Some("now"),
        "git" => {
            let of_git = command.to_string();
            let is_branch = BRANCH.split('|').any(|name| of_git.ends_with(name));
            let folder = || GIT_FOLDERS.iter().find(|(name, _)| of_git == *name).map(|(_, folder)| *folder);
            is_branch.then_some("HEAD").or_else(folder)
        }
        _ => None,
    }
}

/// Returns `true` for a `date` that prints no slash.
fn prints_time(command: &Command) -> bool {
    let is_plain = |word: &Word| {
        let text = word.literal();
        text.is_some_and(|text| match text.strip_prefix('+') {
            Some(format) => consists_of("%YmdHMSsjFTNuwyZ-_.:", format),
            None => lists("-u --utc", text),
        })
    };
    !command.arguments().is_empty() && command.arguments().iter().all(is_plain)
}

/// Returns `true` if a variable is only used in the loop that sets it.
pub(super) fn goes_through(line: &str, name: &str) -> bool {
    let set = line.find(&format!("for {name} in "));
    let used = [format!("${name}"), format!("${{{name}}}")];
    let used = used.iter().filter_map(|used| line.find(used)).min();
    matches!((set, used, line.rfind("done")), (Some(set), Some(used), Some(end)) if set < used && used < end)
        && line.matches("done").count() == 1
        && !line[line.rfind("done").unwrap_or_default()..].contains('$')
}

/// Returns `true` if a command is one of the assignments at the start of a line, with only `;`, the end of a line, or `&&`
/// between them, and no command in the background.
pub(super) fn begins_with(line: Line, command: &Command) -> bool {
    let is_plain = |command: &&Command| {
        let is_alone = is_here(command) && command.redirections.is_empty();
        is_alone && command.via.is_empty() && assigned(command).next().is_some()
    };
    let mut end = 0;
    // A substitution sets no variables.
    let is_of_line = |command: &&Command| !command.via.contains(&Via::CommandSubstitution);
    for leading in line.script.commands().iter().filter(is_of_line).take_while(is_plain) {
        if !matches!(line.between(end, leading.span.start).trim(), "" | ";" | "&&") {
            return false;
        }
        end = leading.span.end;
        if std::ptr::eq(leading, command) {
            return !line.between(end, line.text.len()).trim_start().starts_with('|') && !has_background(line.text);
        }
    }
    false
}
