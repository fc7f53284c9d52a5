//! Finds the suppressions in source code, such as `#[allow(…)]` and `# noqa`.

use super::language::{Excuse, Language, Mark, Syntax};
use crate::prelude::*;
use crate::source::reads;

/// A suppression in a text, with its position.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub mark: Mark,
    pub start: usize,
}

/// Returns all suppressions without an excuse in a text, ordered by kind.
pub(super) fn find(text: &str, language: Language) -> Vec<Found> {
    let source = SourceText::new(text, &language.spans());
    let mut all = Vec::new();
    for mark in language.marks() {
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

fn at_starts_of_comments(source: &SourceText<'_>, mark: Mark) -> Vec<usize> {
    let mut starts = Vec::new();
    for comment in &source.comments {
        let mut start = comment.start;
        for part in source.text[comment.clone()].split_inclusive(['\n', '#']) {
            // The opening of a comment may be longer than necessary: `///`, `/**`, ` * `.
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

fn in_comments(source: &SourceText<'_>, mark: Mark) -> Vec<usize> {
    let comments = source.comments.iter().flat_map(|comment| {
        let inside = anywhere(&source.text[comment.clone()], mark.words);
        inside.map(|range| comment.start + range.start)
    });
    comments.collect()
}

/// Returns the positions at which this mark is a Rust attribute, directly or after a `cfg`.
fn in_attributes(source: &SourceText<'_>, mark: Mark) -> Vec<usize> {
    let code = &*source.code;
    let with_arguments = |mark: Range<usize>| {
        let arguments = after_words(&code[mark.end..], " (", u8::eq)?;
        Some((mark.start, code.len() - arguments.len()))
    };
    let mut marks: Vec<_> = anywhere(code, mark.words).filter_map(with_arguments).collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let brackets = Brackets::of(code);
    let conditional = brackets.outermost(|inner| {
        let is_conditional = |attribute: &str| after_words(attribute.trim_start(), "cfg_attr (", u8::eq).is_some();
        opens_attribute(&code[..inner.start]) && is_conditional(&code[inner.start..])
    });
    marks.retain(|(start, _)| opens_attribute(code[..*start].trim_end()) || is_within(*start, &conditional));
    if mark.excuse.is_some() {
        let reasons = reasons(source.text);
        marks.retain(|(_, arguments)| {
            let next = reasons.partition_point(|reason| reason.start < *arguments);
            let end = brackets.end(*arguments);
            reasons.get(next).is_none_or(|reason| reason.end > end)
        });
    }
    marks.into_iter().map(|(start, _)| start).collect()
}

/// Returns `true` if a text ends with `#[` or `#![`.
fn opens_attribute(text: &str) -> bool {
    const BLANKS: [char; 2] = [' ', '\t'];
    let Some(before) = text.strip_suffix('[') else {
        return false;
    };
    let before = before.trim_end_matches(BLANKS);
    let before = before.strip_suffix('!').unwrap_or(before);
    before.trim_end_matches(BLANKS).ends_with('#')
}

/// The ranges inside the brackets of a text.
///
/// All ranges are found in one pass: searching for the end of each bracket would take too long in a text of open
/// brackets.
struct Brackets(Vec<Range<usize>>);

impl Brackets {
    fn of(code: &str) -> Self {
        reads!(code.len());
        let (mut all, mut open) = (Vec::new(), Vec::new());
        for (at, byte) in code.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    open.push(all.len());
                    all.push(at + 1..code.len());
                }
                b')' | b']' | b'}' => {
                    if let Some(number) = open.pop() {
                        all[number].end = at;
                    }
                }
                _ => {}
            }
        }
        Self(all)
    }

    /// Returns the end of the bracket that opens before `start`.
    fn end(&self, start: usize) -> usize {
        let number = self.0.partition_point(|inner| inner.start < start);
        self.0[number].end
    }

    /// Returns the outermost ranges that meet a condition.
    fn outermost(&self, is_met: impl Fn(&Range<usize>) -> bool) -> Vec<Range<usize>> {
        let mut outermost: Vec<Range<usize>> = Vec::new();
        for inner in self.0.iter().filter(|inner| is_met(inner)) {
            if outermost.last().is_none_or(|last| last.end < inner.start) {
                outermost.push(inner.clone());
            }
        }
        outermost
    }
}

/// Returns `true` if a position is in one of these ranges, which are in order.
fn is_within(at: usize, ranges: &[Range<usize>]) -> bool {
    let next = ranges.partition_point(|range| range.start <= at);
    ranges[..next].last().is_some_and(|range| at < range.end)
}

/// Returns the positions at which a reason is given.
fn reasons(text: &str) -> Vec<Range<usize>> {
    let given = anywhere(text, "reason = \"").filter(|range| !text[range.end..].starts_with('"'));
    given.collect()
}

/// Returns `true` if the text after a mark excuses it.
fn is_excused(mark: Mark, rest: &str) -> bool {
    // Like typescript-eslint's `ban-ts-comment` by default.
    mark.excuse == Some(Excuse::Description) && {
        let words = rest.trim_end_matches("*/").trim_matches(|char: char| !char.is_alphanumeric());
        words.chars().count() >= 3
    }
}
