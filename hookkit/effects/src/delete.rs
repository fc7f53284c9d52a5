//! Commands that delete.

use hookkit_shell::{Command, Word};

use crate::table::deletes_of;

/// The words by which all services delete: alone, before a dash, an underscore or a colon, or behind a colon.
const VERBS: &[&str] = &[
    "delete",
    "deregister",
    "destroy",
    "disable",
    "drop",
    "purge",
    "prune",
    "remove",
    "revoke",
    "terminate",
];

/// The word comes behind the options that select a service.
const MOST_WORDS: usize = 12;

/// Options with which nothing is done.
const DRY: &[&str] = &["--dry-run", "--dryrun", "--help", "-h"];

/// Options whose value is a text or a name.
const TEXTS: &[&str] = &[
    "--body",
    "--description",
    "--jq",
    "--label",
    "--message",
    "--query",
    "--search",
    "--stack-name",
    "--title",
];

/// Programs of which `-n` is one too. Of others it gives a name or a namespace.
const SHORT_DRY: &[&str] = &["borg", "rclone", "restic", "s3cmd"];

/// Returns `true` if a command deletes from a service.
///
/// It is known by one of its first twelve words, without the values of options that take a text (`--title remove`). A command
/// that is only tried (`--dry-run`) deletes nothing.
pub fn deletes(command: &Command) -> bool {
    let Some((name, words)) = program(command) else {
        return false;
    };
    let mut rows = deletes_of(name).filter(|(names, _)| has(names, name)).peekable();
    if rows.peek().is_none() {
        return false;
    }
    let own: Vec<&str> = rows.flat_map(|(_, own)| own.split_whitespace()).collect();
    let is_before = |word: &&Word| word.literal() != Some("--");
    let is_text_next = |word: &Word| word.literal().is_some_and(|word| TEXTS.contains(&word));
    let of_texts = words.iter().map(is_text_next);
    let are_texts = std::iter::once(false).chain(of_texts);
    let before = words.iter().take_while(is_before).zip(are_texts).take(MOST_WORDS);
    let mut starts = before
        .filter(|(_, is_text)| !is_text)
        .map(|(word, _)| word.known_start());
    let is_dry = |word: &str| {
        let (option, value) = word.split_once('=').unwrap_or((word, "true"));
        let is_short = || word.starts_with('-') && !word.starts_with("--") && word.ends_with('n');
        DRY.contains(&option) && !matches!(value, "0" | "false" | "none") || is_short() && SHORT_DRY.contains(&name)
    };
    starts.any(|word| own.contains(&word) || is_verb(word) || name == "aws" && is_operation(word))
        && !words.iter().filter_map(Word::literal).any(is_dry)
}

/// The name of a service's program, without the folder and the ending, and its arguments; also of one in Java.
fn program(command: &Command) -> Option<(&str, &[Word])> {
    let (program, words) = (command.program()?, command.arguments());
    if program != "java" {
        return Some((program.strip_suffix(".sh").unwrap_or(program), words));
    }
    let at = words.iter().position(|word| word.literal() == Some("-jar"))?;
    let name = words.get(at + 1)?.literal()?.rsplit('/').next()?;
    Some((name, words.get(at + 2..).unwrap_or_default()))
}

/// Returns `true` if a list that is separated by blanks has a word.
pub(crate) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|item| item == word)
}

fn is_verb(word: &str) -> bool {
    let parts = |word: &str, verb: &str| {
        let rest = word.strip_prefix(verb);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', ':']))
    };
    let behind = word.rsplit_once(':').map(|(_, behind)| behind);
    VERBS.iter().any(|verb| parts(word, verb) || behind == Some(verb))
}

/// Returns `true` for an operation of AWS by a verb behind another word: `batch-delete-image`.
fn is_operation(word: &str) -> bool {
    let is_verb = |part: &str| VERBS.contains(&part);
    ["admin-", "batch-", "bulk-"]
        .iter()
        .any(|start| word.starts_with(start))
        && word.split('-').any(is_verb)
}
