//! Checks folders and words of git commands that the table does not cover.

use super::MOST_FOLDERS;
use crate::prelude::*;

/// Returns the folders to which git changes before it runs: `-C src`.
pub(super) fn moves(command: &Command) -> impl Iterator<Item = &str> {
    let mut words = command.words.iter().map(Word::literal);
    let is_git = words.next() == Some(Some("git"));
    std::iter::from_fn(move || (is_git && words.next() == Some(Some("-C"))).then(|| words.next().flatten()).flatten())
}

/// Returns the folders in which a command may run, starting from the folders of the line; `None` if there are too many.
pub(super) fn folders(command: &Command, folders: &[Context]) -> Result<Option<Vec<Context>>, Error> {
    let mut folders = folders.to_vec();
    for folder in moves(command) {
        for context in std::mem::take(&mut folders) {
            // Unlike a shell, git follows a link before the `..` after it.
            for name in context.path(folder)?.names() {
                let mut context = context.clone();
                context.cwd = name.to_owned();
                folders.push(context);
            }
        }
        if folders.len() > MOST_FOLDERS {
            return Ok(None);
        }
    }
    Ok(Some(folders))
}

/// Returns `true` if these words make git neither check a signature, which starts another program, nor read a path as
/// another path, such as `:(top).env`.
pub(super) fn are_harmless(words: &[Word]) -> bool {
    words.iter().all(|word| {
        let text = word.known_start();
        let starts_signature = |(at, _)| text[at + 1..].trim_start_matches(['+', '-', ' ']).starts_with('G');
        !text.match_indices('%').any(starts_signature) && !text.replace(":(exclude)", "").contains(":(")
    })
}
