//! Files that programs outside of the table of changes may change.

use super::{Changed, Use, is_fetcher, targets};
use crate::effects::mentions::of_words;
use crate::prelude::*;

/// Options that make a reading program write a file or run a program; each may be shortened.
const WRITES: &str = "--backup-dir --exec-batch --in-place --index-file --inplace --log-file --only-write-batch \
    --open-files-in-pager --outfile --output --output-file --pager --partial-dir --pre --save-config \
    --write-batch";

/// Git commands that change no file of the working tree.
const OF_GIT: &str = "add blame cat-file check-attr check-ignore commit diff diff-index grep hash-object log ls-files \
    ls-tree rev-list rev-parse shortlog show status";

/// Returns all files named by a command, or none if it only reads or is in the table of changes.
pub(crate) fn named(command: &Command) -> Vec<Changed> {
    let mut mentions = Vec::new();
    if !is_known(command) {
        of_words(&Read::by(Program::other(), command.arguments()), &mut mentions);
    }
    Use::Named.each(mentions.into_iter().map(|mention| mention.pieces))
}

fn is_known(command: &Command) -> bool {
    let words: Vec<&str> = command.starts().collect();
    let has = |wanted: &str| words.iter().any(|word| letters(word).contains(|letter| wanted.contains(letter)));
    let writes = |word: &&str| {
        let name = up_to(word, '=');
        name.len() > 4 && WRITES.split(' ').any(|option| option.starts_with(name))
    };
    if words.iter().any(writes) {
        return false;
    }
    if let Some(git) = Git::of(command) {
        let name = git.words.first().map_or("", Word::known_start);
        return lists(OF_GIT, name) && !has("O") || words.contains(&"--cached");
    }
    let program = command.program().filter(|_| command.has_single_name()).unwrap_or_default();
    let Some((program, from)) = Program::of(program, command.arguments()) else {
        return false;
    };
    let read = Read::by(program, &command.arguments()[from..]);
    match program.name {
        // The members of an archive are files that it may write.
        "tar" => {
            let first = words.first().filter(|word| !word.starts_with('-')).copied().unwrap_or_default();
            let has = |letters| has(letters) || first.contains(|letter| str::contains(letters, letter));
            (has("crtu") || words.iter().any(|word| lists("--append --create --list --update", word)))
                && !has("gx")
                && !words.iter().any(|word| word.starts_with("--listed"))
        }
        _ if read.makes(Role::Runs) => false,
        _ if program.operands().next() == Some(Role::Shown) || is_quiet(program.last()) => true,
        name => !is_fetcher(name) && !targets(command).is_empty(),
    }
}

/// Returns `true` for a role whose operands change only according to the table of changes.
fn is_quiet(role: Role) -> bool {
    matches!(role, Role::Shown | Role::Measured | Role::Made | Role::Name | Role::Command | Role::Into | Role::Assigned)
}
