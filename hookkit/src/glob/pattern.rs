//! One line of an ignore file, without the comparison of its wildcards.

use super::wildmatch;

/// A path to compare with patterns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'p> {
    path: &'p [u8],
    /// The last part of the path.
    name: &'p [u8],
    is_folder: bool,
    folds_case: bool,
}

impl<'p> Subject<'p> {
    /// Creates a subject from a path without a slash at its end.
    pub(super) fn new(path: &'p str, is_folder: bool, folds_case: bool) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        Self { path: path.as_bytes(), name: name.as_bytes(), is_folder, folds_case }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// The line without `!`, and without slashes at its beginning and end.
    text: Box<[u8]>,
    /// The length of the text before its first special character.
    literal: usize,
    is_negative: bool,
    /// `true` if the line ends with a slash.
    is_for_folders: bool,
    /// `true` if the line has a slash before its end, so that it is compared with whole paths and not with names.
    is_for_paths: bool,
}

impl Pattern {
    /// Parses a line; returns `None` for comments and for lines without a pattern.
    pub(super) fn parse(line: &str) -> Option<Self> {
        if line.starts_with('#') {
            return None;
        }
        // In git, a NUL ends the line.
        let line = line.split('\0').next().unwrap_or(line);
        let line = without_trailing_spaces(line);
        let (is_negative, line) = stripped(line, line.strip_prefix('!'));
        let (is_for_folders, line) = stripped(line, line.strip_suffix('/'));
        let text = line.strip_prefix('/').unwrap_or(line);
        (!text.is_empty()).then(|| Self {
            text: text.as_bytes().into(),
            literal: text.bytes().position(|byte| b"*?[\\".contains(&byte)).unwrap_or(text.len()),
            is_negative,
            is_for_folders,
            is_for_paths: line.contains('/'),
        })
    }

    /// Returns `true` if the line begins with `!`: it excludes paths that an earlier line matched.
    pub(super) fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// Returns `true` if the line matches exactly this path.
    pub(super) fn matches(&self, subject: Subject<'_>) -> bool {
        if self.is_for_folders && !subject.is_folder {
            return false;
        }
        let text = if self.is_for_paths { subject.path } else { subject.name };
        let Some((begin, rest)) = text.split_at_checked(self.literal) else {
            return false;
        };
        // As in git, the wildcards begin here: the `**` of `a**/b` is at the beginning of a pattern.
        let (literal, wildcards) = self.text.split_at(self.literal);
        let is_literal = match subject.folds_case {
            true => begin.eq_ignore_ascii_case(literal),
            false => begin == literal,
        };
        is_literal && wildmatch::is_match(wildcards, rest, subject.folds_case, || ())
    }
}

/// Returns the line without its prefix or suffix, and `true` if it had one.
fn stripped<'l>(line: &'l str, rest: Option<&'l str>) -> (bool, &'l str) {
    (rest.is_some(), rest.unwrap_or(line))
}

/// Returns a line without the spaces at its end, except for one that a `\` escapes.
fn without_trailing_spaces(line: &str) -> &str {
    let trimmed = line.trim_end_matches(' ');
    let backslashes = trimmed.len() - trimmed.trim_end_matches('\\').len();
    line.get(..trimmed.len() + backslashes % 2).unwrap_or(line)
}
