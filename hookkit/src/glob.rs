//! Lists of path patterns, as ignore files write them (feature `glob`).
//!
//! ```
//! use hookkit::glob::Patterns;
//!
//! let protected = Patterns::parse(".claude/protected", "\
//! ## What is generated, and what is not ours.
//! *.generated.rs
//! /vendor/
//! !/vendor/README.md
//! migrations/**/*.sql
//! ")?;
//!
//! let found = protected.find("crates/api/src/schema.generated.rs").expect("it is on the list");
//! assert_eq!(found.to_string(), "`*.generated.rs` (line 2 of `.claude/protected`)");
//!
//! // As with git, what lies in a folder that is matched is matched, and nothing takes it out again.
//! assert!(protected.find("vendor/README.md").is_some());
//! assert!(protected.find("src/vendor/lib.rs").is_none(), "that pattern begins at the root");
//!
//! // What could never match is an error, and no silence.
//! let error = Patterns::parse(".claude/protected", "*.{js,ts}").unwrap_err();
//! assert!(error.to_string().starts_with("line 1 of `.claude/protected`, `*.{js,ts}`: "));
//! # Ok::<(), hookkit::Error>(())
//! ```
//!
//! A hook asks about each name that a file has in the project:
//!
//! ```
//! use hookkit::glob::Patterns;
//! use hookkit::prelude::*;
//!
//! /// Keeps what is generated as the generator wrote it.
//! #[hook(PreToolUse, matcher = "Edit|Write")]
//! pub fn keep_generated(call: PreToolUse<tool::FileChange>, context: Context) -> Result<PreToolUseAnswer, Error> {
//!     let generated = Patterns::parse("what is generated", "*.pb.go\n/api/client/\n")?;
//!     let path = context.path(&call.input.file_path)?;
//!     let found = path.relative_names().find_map(|name| generated.find(&name));
//!     Ok(match found {
//!         Some(found) => PreToolUseAnswer::deny(format!("`{path}` is generated, by {found}: change its source")),
//!         None => PreToolUseAnswer::pass(),
//!     })
//! }
//!
//! # fn main() {
//! # let mut context = Context::default();
//! # context.cwd = "/project".into();
//! # context.project_dir = "/project".into();
//! let call = PreToolUse::new("Write", tool::FileChange::new("/project/api/v1.pb.go"));
//! assert_ne!(keep_generated(call, context).unwrap(), PreToolUseAnswer::pass());
//! # }
//! ```
//!
//! # The dialect
//!
//! It is that of gitignore(5), read and compared by the code of gitoxide:
//!
//! | line | matches |
//! |---|---|
//! | `*.lock` | files and folders of that name anywhere |
//! | `/Cargo.lock` | the one in the root; so does any pattern with a slash before its end: `docs/api.md` |
//! | `build/` | folders only, and all that is in them |
//! | `a/**/b` | `a/b`, `a/x/b`, `a/x/y/b`; `**/b` any `b`, and `a/**` all that is in `a` |
//! | `*` `?` `[a-z]` `[!a]` | anything, one character, one of these, one of any others; never a slash |
//! | `!*.example` | takes out again what an earlier line matched; the last line that matches decides |
//! | `\#` `\!` `\*` `\ ` | these characters themselves |
//! | `# why` | nothing: it is a comment |
//!
//! It differs from git 2.47 in one case that git does not document: there the second half of `a**/b` means more than `*`
//! because a name is before it.
//!
//! # The cost
//!
//! It adds 12 KB to a hook that is linked with musl, and 20 thousand instructions for ten lines and one path.

use std::fmt;

use gix_ignore::glob::{Pattern, pattern, wildmatch};

use crate::Error;

mod fault;

/// A list of path patterns, compiled once.
///
/// See [the module](self) for what they mean.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    lines: Vec<Line>,
    folds_case: bool,
}

#[derive(Debug, Clone)]
struct Line {
    source: String,
    number: usize,
    /// As it was written.
    text: String,
    pattern: Pattern,
}

impl Patterns {
    /// Reads a list of patterns, a line each; `source` is what the list is called, in errors and by what is found.
    ///
    /// # Errors
    ///
    /// When lines can never match, or not what their author thinks; each is named, with the edit that fixes it:
    /// brackets that are not closed, `{a,b}`, `..`, a comment behind a pattern, `\` between folders.
    pub fn parse(source: &str, text: &str) -> Result<Self, Error> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut faults = text
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((at + 1, line, fault::fault(line)?)));
        let Some((number, line, first)) = faults.next() else {
            return Ok(Self::parse_lenient(source, text));
        };
        let mut message = format!("line {number} of `{source}`, `{line}`: {first}");
        for (number, line, fault) in faults {
            message.push_str(&format!("; line {number}, `{line}`: {fault}"));
        }
        Err(Error::msg(message))
    }

    /// As [`parse`](Self::parse), but what can never match is left out, as git does it: for files that are not the hook's
    /// own, such as a `.gitignore`.
    pub fn parse_lenient(source: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let texts: Vec<&str> = text.lines().collect();
        let lines = gix_ignore::parse(text.as_bytes(), false).map(|(pattern, number, _)| Line {
            source: source.to_owned(),
            number,
            text: texts.get(number - 1).copied().unwrap_or_default().to_owned(),
            pattern,
        });
        Self {
            lines: lines.collect(),
            folds_case: false,
        }
    }

    /// Adds the lines of another list, which come after those that are there: its `!` takes out what these match.
    #[must_use]
    pub fn and(mut self, later: Self) -> Self {
        self.lines.extend(later.lines);
        self
    }

    /// Compares ASCII letters without their case.
    ///
    /// Returns `true` if `.GIT` is `.git` is a property of the volume; a guard does better to take them for one.
    #[must_use]
    pub fn ignoring_case(mut self) -> Self {
        self.folds_case = true;
        self
    }

    /// The line that matches a path or a folder that it lies in, if no later one takes it out again.
    ///
    /// The path is relative to the root, with `/` between its parts, as [`ProjectPath`](crate::ProjectPath) has it.
    /// A folder has a `/` at its end: only so it is matched by a pattern with one.
    /// The root itself (`.`) is matched by nothing.
    pub fn find(&self, path: &str) -> Option<Found<'_>> {
        let line = self.last_line(path)?;
        (!line.pattern.is_negative()).then_some(Found { line })
    }

    /// The line that decides about a path, also one with a `!`: from the root on, the first folder that is matched, or
    /// the path itself.
    fn last_line(&self, path: &str) -> Option<&Line> {
        let whole = path.strip_suffix('/').unwrap_or(path);
        if matches!(whole, "" | ".") {
            return None;
        }
        let is_matched = |line: &&Line| !line.pattern.is_negative();
        let folders = whole.match_indices('/').map(|(end, _)| &whole[..end]);
        folders
            .filter_map(|folder| self.line_of(folder, true))
            .find(is_matched)
            .or_else(|| self.line_of(whole, path.ends_with('/')))
    }

    /// The last line that matches this very path.
    fn line_of(&self, path: &str, is_folder: bool) -> Option<&Line> {
        let case = if self.folds_case {
            pattern::Case::Fold
        } else {
            pattern::Case::Sensitive
        };
        let name = path.rfind('/').map(|slash| slash + 1);
        self.lines.iter().rev().find(|line| {
            let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
            line.pattern
                .matches_repo_relative_path(path.into(), name, Some(is_folder), case, mode)
        })
    }
}

/// A line of [`Patterns`] that matches.
///
/// It displays as ``"`*.lock` (line 3 of `.claude/protected`)"``.
#[derive(Debug, Clone, Copy)]
pub struct Found<'p> {
    line: &'p Line,
}

impl<'p> Found<'p> {
    /// The pattern as it was written.
    pub fn pattern(&self) -> &'p str {
        &self.line.text
    }

    /// Returns the name of the list that it is in.
    pub fn source(&self) -> &'p str {
        &self.line.source
    }

    /// The number of its line there, from 1.
    pub fn line(&self) -> usize {
        self.line.number
    }
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line {
            source, number, text, ..
        } = self.line;
        write!(f, "`{text}` (line {number} of `{source}`)")
    }
}

#[cfg(test)]
mod tests;
