//! Finding the marks of a language in a text.

use super::language::{Excuse, Language, Mark, Syntax};
use crate::source::{SourceText, after_words, anywhere};

/// A mark in a text, and where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) mark: &'static Mark,
    pub(super) start: usize,
}

/// All marks in a text that nothing excuses, those of one kind after those of another.
pub(super) fn find(text: &str, language: &'static Language) -> Vec<Found> {
    let source = SourceText::new(text, language.spans);
    let mut all = Vec::new();
    for mark in language.marks {
        let starts = match mark.place {
            Syntax::Comment => at_starts_of_comments(&source, mark),
            Syntax::InComment => in_comments(&source, mark),
            Syntax::Code => anywhere(&source.code, mark.words).map(|range| range.start).collect(),
            Syntax::Attribute => in_attributes(&source, mark),
        };
        all.extend(starts.into_iter().map(|start| Found { mark, start }));
    }
    all
}

fn at_starts_of_comments(source: &SourceText<'_>, mark: &Mark) -> Vec<usize> {
    let mut starts = Vec::new();
    for comment in &source.comments {
        let mut start = comment.start;
        for part in source.text[comment.clone()].split_inclusive(['\n', '#']) {
            // What opens a comment may be longer than it must be: `///`, `/**`, ` * `.
            let words = part.trim_start_matches(['/', '*', '!', '#', ' ', '\t']);
            let skipped = part.len() - words.len();
            if let Some(rest) = after_words(words, mark.words, u8::eq_ignore_ascii_case)
                && !is_excused(mark, rest)
            {
                starts.push(start + skipped);
            }
            start += part.len();
        }
    }
    starts
}

fn in_comments(source: &SourceText<'_>, mark: &Mark) -> Vec<usize> {
    let comments = source.comments.iter();
    comments
        .flat_map(|comment| {
            let inside = anywhere(&source.text[comment.clone()], mark.words);
            inside.map(|range| comment.start + range.start)
        })
        .collect()
}

/// The attributes of Rust that are, or hold behind a `cfg`, this one.
fn in_attributes(source: &SourceText<'_>, mark: &Mark) -> Vec<usize> {
    let mut starts = Vec::new();
    for (hash, _) in source.code.match_indices('#') {
        let Some(opened) = ["# [", "# ! ["]
            .iter()
            .find_map(|words| after_words(&source.code[hash..], words, u8::eq))
        else {
            continue;
        };
        let start = source.code.len() - opened.len();
        let attribute = &source.code[start..start + balanced(opened)];
        let is_conditional = after_words(attribute.trim_start(), "cfg_attr (", u8::eq).is_some();
        for range in anywhere(attribute, mark.words) {
            let is_outermost = attribute[..range.start].trim().is_empty();
            let Some(arguments) = after_words(&attribute[range.end..], " (", u8::eq) else {
                continue;
            };
            if !(is_outermost || is_conditional) {
                continue;
            }
            let from = start + attribute.len() - arguments.len();
            if !is_excused(mark, &source.text[from..from + balanced(arguments)]) {
                starts.push(start + range.start);
            }
        }
    }
    starts
}

/// Longer attributes are cut off: a text of nothing but open brackets would take for ever.
const LONGEST_ATTRIBUTE: usize = 4_000;

/// Returns the length of the text in the bracket that was opened before it.
fn balanced(text: &str) -> usize {
    let mut depth = 1;
    let mut chars = text.char_indices().take(LONGEST_ATTRIBUTE);
    let end = chars.find(|(_, char)| {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let limit = || text.char_indices().nth(LONGEST_ATTRIBUTE);
    end.or_else(limit).map_or(text.len(), |(at, _)| at)
}

/// Returns `true` if enough is said behind a mark, or in its brackets, for it to stay.
fn is_excused(mark: &Mark, rest: &str) -> bool {
    match mark.excuse {
        None => false,
        Some(Excuse::Reason) => {
            let mut said = anywhere(rest, "reason = \"").map(|range| &rest[range.end..]);
            said.any(|reason| !reason.starts_with('"'))
        }
        // As typescript-eslint's `ban-ts-comment` has it by default.
        Some(Excuse::Description) => {
            let words = rest
                .trim_end_matches("*/")
                .trim_matches(|char: char| !char.is_alphanumeric());
            words.chars().count() >= 3
        }
    }
}
