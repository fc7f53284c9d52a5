//! The tools that find files, text and symbols.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{is_false, or_default, tool};
use crate::Number;
use crate::open::{count, open_enum};

tool! { Glob = "Glob" => GlobResponse }
tool! { Grep = "Grep" => GrepResponse }
tool! { Lsp = "LSP" => LspResponse }

/// Finds files by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Glob {
    /// The glob.
    pub pattern: String,
    /// The folder to look in; the current one if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

impl Glob {
    /// A glob, for a test.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`Glob`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GlobResponse {
    /// The files that were found.
    pub filenames: Vec<PathBuf>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How many files these are.
    pub num_files: u64,
    /// Whether more were found than are told.
    pub truncated: bool,
    /// How many were found in all.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub total_matches: Option<u64>,
    /// Whether `total_matches` is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_is_complete: Option<bool>,
    /// Whether the search was given up.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub timed_out: bool,
}

/// Finds text in files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grep {
    /// The regular expression.
    pub pattern: String,
    /// The file or folder to look in; the current folder if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// A glob that the files fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// What is told of a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<GrepMode>,
    /// How many lines before a match are shown (`-B`).
    #[serde(rename = "-B", default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Number>,
    /// How many lines after a match are shown (`-A`).
    #[serde(rename = "-A", default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Number>,
    /// How many lines on either side of a match are shown (`-C`).
    #[serde(rename = "-C", default, skip_serializing_if = "Option::is_none")]
    pub around: Option<Number>,
    /// The same by another name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Number>,
    /// Whether lines are shown with their numbers (`-n`).
    #[serde(rename = "-n", default, skip_serializing_if = "Option::is_none")]
    pub line_numbers: Option<bool>,
    /// Whether upper and lower case are the same (`-i`).
    #[serde(
        rename = "-i",
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub ignore_case: bool,
    /// Whether only what matches is shown of a line (`-o`).
    #[serde(
        rename = "-o",
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "is_false"
    )]
    pub only_matching: bool,
    /// The type of the files, as ripgrep names it: `rust`, `py` (`type`).
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub file_type: Option<String>,
    /// How many lines or files are told at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_limit: Option<u64>,
    /// How many of them are left out before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Whether a match may go over several lines.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub multiline: bool,
}

impl Grep {
    /// A regular expression, for a test.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            ..Self::default()
        }
    }
}

open_enum! {
    /// What [`Grep`] tells of a match.
    pub enum GrepMode {
        /// The lines.
        Content = "content",
        /// The file.
        FilesWithMatches = "files_with_matches",
        /// How many a file has.
        Count = "count",
    }
}

/// What [`Grep`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GrepResponse {
    /// What is told of a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<GrepMode>,
    /// How many files are told; 0 in mode `content`.
    pub num_files: u64,
    /// The files with a match; none in mode `content`.
    pub filenames: Vec<PathBuf>,
    /// The lines, or the counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How many lines are told.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub num_lines: Option<u64>,
    /// How many matches were counted.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub num_matches: Option<u64>,
    /// How many files there are in all.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub total_files: Option<u64>,
    /// How many lines there are in all.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// The `head_limit` that cut the result.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub applied_limit: Option<u64>,
    /// The `offset` that cut the result.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub applied_offset: Option<u64>,
    /// Whether the search was given up.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub timed_out: bool,
}

/// Asks a language server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Lsp {
    /// What is asked.
    pub operation: LspOperation,
    /// The file.
    pub file_path: PathBuf,
    /// The line, from 1 on.
    pub line: u64,
    /// The character in the line, from 1 on.
    pub character: u64,
    /// The symbol that is looked for in the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

open_enum! {
    /// What a language server is asked.
    pub enum LspOperation {
        /// Where a symbol is defined.
        GoToDefinition = "goToDefinition",
        /// Where it is used.
        FindReferences = "findReferences",
        /// What is known of it.
        Hover = "hover",
        /// The symbols of a file.
        DocumentSymbol = "documentSymbol",
        /// The symbols of the workspace.
        WorkspaceSymbol = "workspaceSymbol",
        /// Where it is implemented.
        GoToImplementation = "goToImplementation",
        /// The function at a place.
        PrepareCallHierarchy = "prepareCallHierarchy",
        /// Who calls it.
        IncomingCalls = "incomingCalls",
        /// Whom it calls.
        OutgoingCalls = "outgoingCalls",
    }
}

/// What [`Lsp`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct LspResponse {
    /// What was asked.
    pub operation: LspOperation,
    /// The answer, as text.
    pub result: String,
    /// The file.
    pub file_path: PathBuf,
    /// How many places were found.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub result_count: Option<u64>,
    /// In how many files they are.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub file_count: Option<u64>,
}
