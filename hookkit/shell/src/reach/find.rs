//! Commands that `find` runs from its tests, and `fd` after its options.

use super::{At, arguments, fill, is_quoted_or_literal, may_have};
use crate::programs::find::end_of_run;
use crate::{ExpansionKind, Part, Why, Word};

/// The tests of `find` that run a command.
const ACTIONS: &str = "-exec -execdir -ok -okdir";

/// Placeholders that `fd` replaces with a found path, or a part of it.
const MARKS: [&str; 5] = ["{}", "{/}", "{//}", "{.}", "{/.}"];

impl At<'_> {
    pub(super) fn fd(&mut self, name: &str, words: &[Word]) {
        let is_action = |word: &Word| word.is("-x -X --exec --exec-batch");
        let (options, action) = words.split_at(words.iter().position(is_action).unwrap_or(words.len()));
        // In another folder the name means another program.
        let may_run = |text: &str| match text.strip_prefix("--") {
            Some(long) => long.starts_with("exec") || long.starts_with("base"),
            None => text.starts_with('-') && text.contains(['x', 'X', 'C']),
        };
        let inner = action.get(1..).unwrap_or_default();
        if may_have(options, may_run) || inner.iter().any(|word| word.is(";") || is_action(word)) {
            return self.note_all(Why::Runner);
        }
        if inner.is_empty() {
            return;
        }
        let mut inner = inner.to_vec();
        let known = inner.len();
        for mark in MARKS {
            inner.iter_mut().for_each(|word| fill(word, mark));
        }
        if inner.iter().all(|word| word.literal().is_some()) {
            inner.push(Word { parts: vec![arguments(true)], ..inner[known - 1].clone() });
        }
        self.inner(name, inner, &[]);
    }

    pub(super) fn find(&mut self, name: &str) {
        let words = self.command.arguments();
        let mut index = 0;
        let mut unknown_starts = 0;
        let mut loose_ends = 0;
        while let Some(word) = words.get(index) {
            index += 1;
            match word.literal() {
                Some(_) if word.is(ACTIONS) => {
                    let rest = &words[index..];
                    let end = end_of_run(rest);
                    let mut inner = rest[..end.unwrap_or(rest.len())].to_vec();
                    index += inner.len() + usize::from(end.is_some());
                    // An expansion can be the end, and the beginning of another command.
                    let unknown = inner.iter().filter(|word| word.literal().is_none()).count();
                    if end.is_none()
                        // It may be the value of a test: `-name -exec -exec rm {} ;`.
                        || inner.iter().any(|word| word.is(ACTIONS))
                        || unknown > 1
                        || !inner.iter().all(Word::is_single)
                        || unknown == 1 && inner.iter().any(Word::is_option)
                    {
                        self.note_all(Why::Prefix);
                    }
                    inner.iter_mut().for_each(|word| fill(word, "{}"));
                    self.inner(name, inner, &[]);
                }
                Some(";" | "+") => loose_ends += 1,
                Some(_) => {}
                None => {
                    let could_be_action = match word.known_start() {
                        _ if word
                            .parts
                            .first()
                            .is_some_and(|part| part.is(ExpansionKind::Home) || part.is(ExpansionKind::Tilde)) =>
                        {
                            false
                        }
                        "" => !word.parts.iter().filter_map(Part::literal).any(|text| text.contains(['.', '/', '_'])),
                        start => {
                            ["-exec", "-ok"].iter().any(|action| action.starts_with(start) || start.starts_with(action))
                        }
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
