//! The files that the words of a `git` command name.

use hookkit::shell::Word;

use super::{Mention, add, is_option, of_words, quiet};
use crate::effects::programs::{
    Does, Family, First, GIT_CHANGES, GIT_MARKS, GIT_ONLY_NAMES, GIT_SHOWS, GIT_SUMMARIES, READS,
};
use crate::git::without_values;
use crate::words::{Arguments, Piece, Valued};

/// Adds what a command of git names.
pub(super) fn of_git(words: &[Word], mentions: &mut Vec<Mention>) {
    let [command, arguments @ ..] = words else { return };
    let has = |options: &[&str]| {
        arguments
            .iter()
            .any(|word| options.iter().any(|option| is_option(word, option)))
    };
    if command.literal() == Some("clean") {
        return of_clean(arguments, mentions);
    }
    let shows = has(GIT_SHOWS);
    let family = match command.literal() {
        Some("grep") if quiet::is("grep", arguments) && !arguments.iter().any(opens_files) => return,
        Some("grep") => Family {
            first: First::Text,
            given: &["-e", "-f"],
            skipped: &["-e", "-A", "-B", "-C", "-m", "--max-depth", "--threads"],
            ..READS
        },
        Some("check-ignore") => return,
        Some("update-index") if has(GIT_MARKS) && !has(&["--add"]) => return,
        Some("rm") if has(&["--cached"]) => return,
        Some("add") => READS,
        Some("checkout") => Family {
            skipped: &["-b", "-B", "-t"],
            does: Does::Change,
            ..READS
        },
        Some(command) if GIT_CHANGES.contains(&command) => Family {
            does: Does::Change,
            ..READS
        },
        Some(command) if GIT_ONLY_NAMES.contains(&command) && !shows => return,
        Some("diff" | "show") if has(GIT_SUMMARIES) && !shows => return,
        // Its message is a text.
        Some("commit" | "tag") => Family {
            skipped: &["-m", "--message"],
            ..READS
        },
        _ => READS,
    };
    of_words(arguments, &family, mentions);
}

/// Returns `true` for an option by which `git grep` shows files in a pager.
fn opens_files(option: &Word) -> bool {
    let text = option.known_start();
    text.starts_with("--op") || text.starts_with('-') && !text.starts_with("--") && text.contains('O')
}

/// Adds what a `git clean` names: the files that it deletes, and those of the patterns that have it delete more.
fn of_clean(words: &[Word], mentions: &mut Vec<Mention>) {
    const VALUED: &Valued = &[('e', "exclude")];
    let has_value = |word: &Word| match word.known_start() {
        option if option.starts_with("--") => option.starts_with("--e") && !option.contains('='),
        option => option.starts_with('-') && option.find('e') == Some(option.len() - 1),
    };
    let options = without_values(words, has_value).map(Word::known_start);
    let options: Vec<&str> = options.take_while(|option| *option != "--").collect();
    let has = |wanted: char| {
        let mut letters = options.iter().filter_map(|option| option.strip_prefix('-'));
        letters.any(|letters| {
            letters
                .split(['-', 'e'])
                .next()
                .is_some_and(|letters| letters.contains(wanted))
        })
    };
    let is_dry = has('n') || options.contains(&"--dry-run");
    if is_dry && !options.iter().any(|option| option.starts_with("--no-")) {
        return;
    }
    let arguments = Arguments::of_words(words, VALUED);
    // Ignored files stay without `-x`, and go alone with `-X`.
    let are_ignored_deleted = has('X');
    for mut pattern in arguments.values_of(&['e']) {
        let Some(Piece::Text(text)) = pattern.first_mut() else {
            continue;
        };
        let is_inverted = text.starts_with('!');
        if is_inverted != are_ignored_deleted {
            *text = text.trim_start_matches('!').to_owned();
            mentions.push(Mention {
                pieces: pattern,
                does: Does::Change,
            });
        }
    }
    for word in arguments.operands {
        add(mentions, word, 0, Does::Change);
    }
}
