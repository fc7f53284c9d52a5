//! `find`, whose commands are between its tests.

use super::{At, fill, is_quoted_or_literal};
use crate::{ExpansionKind, Part, Why, Word};

/// The tests of `find` that run a command.
const ACTIONS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];

impl At<'_> {
    pub(super) fn find(&mut self, name: &str) {
        let words = self.command.arguments();
        let mut index = 0;
        let mut unknown_starts = 0;
        let mut loose_ends = 0;
        while let Some(word) = words.get(index) {
            index += 1;
            match word.literal() {
                Some(text) if ACTIONS.contains(&text) => {
                    let rest = &words[index..];
                    let end = (0..rest.len()).find(|&at| match rest[at].literal() {
                        Some(";") => true,
                        Some("+") => at > 0 && rest[at - 1].literal() == Some("{}"),
                        _ => false,
                    });
                    let mut inner = rest[..end.unwrap_or(rest.len())].to_vec();
                    index += inner.len() + usize::from(end.is_some());
                    // What is not known can be the end, and the beginning of another command.
                    let unknown = inner.iter().filter(|word| word.literal().is_none()).count();
                    let is_option = |word: &Word| word.known_start().starts_with('-');
                    // It may have been the value of a test: `-name -exec -exec rm {} ;`.
                    let is_action = |word: &Word| word.literal().is_some_and(|text| ACTIONS.contains(&text));
                    if end.is_none()
                        || inner.iter().any(is_action)
                        || unknown > 1
                        || !inner.iter().all(Word::is_single)
                        || unknown == 1 && inner.iter().any(is_option)
                    {
                        self.note_all(Why::Prefix);
                    }
                    inner.iter_mut().for_each(|word| fill(word, "{}"));
                    self.inner(name, inner, Vec::new());
                }
                Some(";" | "+") => loose_ends += 1,
                Some(_) => {}
                None => {
                    let is_home = matches!(&word.parts[..], [Part::Expansion(first), ..]
                        if matches!(first.kind, ExpansionKind::Home | ExpansionKind::Tilde));
                    let could_be_action = match word.known_start() {
                        _ if is_home => false,
                        "" => !word
                            .parts
                            .iter()
                            .any(|part| matches!(part, Part::Literal(text) if text.contains(['.', '/', '_']))),
                        start => ["-exec", "-ok"]
                            .iter()
                            .any(|action| action.starts_with(start) || start.starts_with(action)),
                    };
                    let is_split = word.parts.iter().any(|part| {
                        matches!(part, Part::Expansion(expansion) if !expansion.is_quoted && !matches!(
                            expansion.kind,
                            ExpansionKind::Bracket | ExpansionKind::Glob | ExpansionKind::Home | ExpansionKind::Tilde
                        ))
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
