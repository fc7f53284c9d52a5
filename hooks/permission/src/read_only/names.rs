//! Commands that find files, and commands that receive the found names.

use std::ptr;

use hookkit::shell::programs::find::{PATTERNS, Term, takes_whole_names, terms};

use crate::prelude::*;

/// Returns the indexes of `find`'s patterns for names; `None` if any word of `find` is not in the list of harmless
/// ones.
pub(super) fn find(words: &[Word]) -> Option<Vec<usize>> {
    let mut patterns = Vec::new();
    for term in terms(words) {
        match term {
            Term::Test(name, Some(value)) if lists(PATTERNS, name) => {
                patterns.extend(words.iter().position(|word| ptr::eq(word, value)));
            }
            Term::Test(name, _) if name == "delete" || begins("files fls fprint", name) => return None,
            Term::Test(..) | Term::Run("exec", _) | Term::Start(_) | Term::Sign(_) => {}
            _ => return None,
        }
    }
    Some(patterns)
}

/// Programs that are safe with any file names: they never read a name as an option, and neither start nor write
/// anything because of a file.
const TAKE_ANY_NAME: &str = "basename cat dirname head ls nl stat tac";

/// Returns `true` if a command prints only names of the project's files, each with a NUL after it.
fn prints_names(command: &Command) -> bool {
    let words = command.arguments();
    let has = |texts| words.iter().any(|word| word.is(texts));
    let only = |options: &str| {
        words
            .iter()
            .map(|word| up_to(word.known_start(), '='))
            .all(|word| !word.starts_with('-') || lists(options, word))
    };
    match command.name() {
        Some("find") => {
            let prints = |word: &Word| {
                lists("-exec -ls -print -printf", word.known_start()) || word.known_start().starts_with('@')
            };
            has("-print0") && !words.iter().any(prints)
        }
        Some("fd" | "fdfind") => has("-0 --print0"),
        Some("git") => has("ls-files") && has("-z") && words.len() == 2,
        Some("rg") => {
            has("-l --files --files-with-matches")
                && has("-0 --null")
                && only("-l -0 -F -g -i -S -t -w --files --files-with-matches --glob --ignore-case --null --type")
        }
        Some("grep") => has("-lZ -rlZ -lrZ") && only("-lZ -rlZ -lrZ -E -F -i -r -w --include --exclude --exclude-dir"),
        _ => false,
    }
}

/// Returns `true` if `xargs` gets only names of the project's files, each with a NUL after it. Without a pipe, it gets
/// none.
///
/// If blanks were separators, a folder's name with a blank would be split, and its second part could be a file
/// elsewhere.
pub(super) fn are_known(commands: &[Command]) -> bool {
    let runs = |command: &Command| command.is_named("xargs");
    let is_within = |command: &&Command| command.is_run_by("xargs");
    let Some(first) = commands.iter().position(runs) else {
        return true;
    };
    let own = &commands[first];
    let is_fed = commands.iter().flat_map(|command| &command.redirections).any(|redirection| {
        redirection.operator != RedirectionOperator::DuplicateOutput && !redirection.target.is("/dev/null")
    });
    // Further commands get the first one's output.
    if is_fed || commands.iter().filter(|command| runs(command)).count() > 1 {
        return false;
    }
    let mut inner = commands.iter().filter(is_within);
    // These programs open none of the names.
    if gets_none(commands) || inner.clone().all(|command| command.is_named("basename dirname echo")) {
        return true;
    }
    let mut before = commands[..first].iter().filter(|command| command.is_in_pipeline()).peekable();
    takes_whole_names(own)
        && before.peek().is_some()
        && own.via == [Via::Pipeline]
        && before.clone().all(prints_names)
        // Names that `find` prints begin with a named folder, so they are never options.
        && (before.all(|command| command.is_named("find")) || inner.all(|command| command.is_named(TAKE_ANY_NAME)))
}

/// Returns `true` if `xargs` reads no names, because it has no pipe. The client gives commands an empty input.
pub(super) fn gets_none(commands: &[Command]) -> bool {
    commands.iter().filter(|command| command.is_named("xargs")).all(|command| command.via.is_empty())
}

/// Returns `true` for an argument that `find` or `xargs` inserts.
pub(super) fn is_argument(part: &Part) -> bool {
    part.is(ExpansionKind::Arguments)
}
