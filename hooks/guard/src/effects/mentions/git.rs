//! Files that the words of a `git` command name.

use super::{Mention, add, of_words};
use crate::prelude::*;

/// Adds the files that a git command names to the mentions.
pub(super) fn of_git(words: &[Word], mentions: &mut Vec<Mention>) {
    let read = Read::of_git(words);
    match words.first().and_then(Word::literal) {
        Some("clean") => of_clean(&read, mentions),
        _ => of_words(&read, mentions),
    }
}

/// Adds the names in a `git clean`: the files that it deletes, and the files that patterns add.
fn of_clean(read: &Read, mentions: &mut Vec<Mention>) {
    if read.has("n dry-run") && !read.unknown().any(|word| word.known_start().starts_with("--no-")) {
        return;
    }
    // Ignored files stay without `-x`, and go alone with `-X`.
    let are_ignored_deleted = read.has("X");
    for mut pattern in read.values(Role::Pattern) {
        let Some(Piece::Text(text)) = pattern.first_mut() else {
            continue;
        };
        let is_inverted = text.starts_with('!');
        if is_inverted != are_ignored_deleted {
            *text = text.trim_start_matches('!').to_owned();
            mentions.push(Mention { pieces: pattern, does: Does::Change });
        }
    }
    for word in read.words() {
        add(mentions, word, 0, Does::Change);
    }
}
