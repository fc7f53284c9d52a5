//! `find`, whose commands stand between its tests.

use super::{At, fill, is_quoted_or_literal};
use crate::{ExpansionKind, Part, Why, Word};

impl At<'_> {
    pub(super) fn find(&mut self, name: &str) {
        let words = self.command.arguments();
        let mut index = 0;
        let mut unknown_starts = 0;
        let mut loose_ends = 0;
        while let Some(word) = words.get(index) {
            index += 1;
            match word.literal() {
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let mut inner = Vec::new();
                    let mut has_end = false;
                    while let Some(word) = words.get(index) {
                        index += 1;
                        let is_plus = word.literal() == Some("+") && inner.last().is_some_and(is_placeholder);
                        if word.literal() == Some(";") || is_plus {
                            has_end = true;
                            break;
                        }
                        inner.push(word.clone());
                    }
                    // What is not known can be the end, and the beginning of another command.
                    let unknown = inner.iter().filter(|word| word.literal().is_none()).count();
                    let is_action = |word: &Word| word.known_start().starts_with(['-']);
                    // It may have been the value of a test: `-name -exec -exec rm {} ;`.
                    let is_value = inner
                        .iter()
                        .any(|word| matches!(word.literal(), Some("-exec" | "-execdir" | "-ok" | "-okdir")));
                    if !has_end
                        || is_value
                        || unknown > 1
                        || !inner.iter().all(Word::is_single)
                        || unknown == 1 && inner.iter().any(is_action)
                    {
                        self.note_all(Why::Prefix);
                    }
                    inner.iter_mut().for_each(|word| fill(word, "{}"));
                    self.inner(name, inner, Vec::new());
                }
                Some(";" | "+") => loose_ends += 1,
                Some(_) => {}
                None => {
                    let could_be_action = match word.known_start() {
                        "" => !word
                            .parts
                            .iter()
                            .any(|part| matches!(part, Part::Literal(text) if text.contains(['.', '/', '_']))),
                        start => {
                            "-exec".starts_with(start)
                                || "-ok".starts_with(start)
                                || start.starts_with("-exec")
                                || start.starts_with("-ok")
                        }
                    };
                    let is_split = word.parts.iter().any(|part| {
                        matches!(part, Part::Expansion(expansion) if !expansion.is_quoted && expansion.kind != ExpansionKind::Glob
                            && expansion.kind != ExpansionKind::Tilde)
                    });
                    if is_split || could_be_action && word.parts.iter().any(|part| !is_quoted_or_literal(part)) {
                        return self.note(Why::Prefix, &word.span);
                    }
                    unknown_starts += usize::from(could_be_action);
                }
            }
        }
        if unknown_starts > 1 || unknown_starts == 1 && loose_ends > 0 {
            self.note_all(Why::Prefix);
        }
    }
}

fn is_placeholder(word: &Word) -> bool {
    word.literal() == Some("{}")
}
