//! The tools that find files, text and symbols.

use std::path::PathBuf;

use super::tool;
use crate::Number;
use crate::wire::wire;

tool! { Glob = "Glob" => GlobResponse }
tool! { Grep = "Grep" => GrepResponse }
tool! { Lsp = "LSP" => LspResponse }

wire! {
    /// Finds files by their paths.
    pub struct Glob {
        /// The glob.
        pattern: String,
        /// The folder to look in; the current one if it is absent.
        path: Option<PathBuf>,
    }

    /// A glob, for a test.
    pub new Glob(pattern: &str);

    /// What [`Glob`] gives back.
    pub struct GlobResponse {
        /// The files that were found.
        filenames: Vec<PathBuf>,
        /// How long it took, in milliseconds.
        duration_ms: u64 = "durationMs",
        /// How many files these are.
        num_files: u64 = "numFiles",
        /// Whether more were found than are told.
        truncated: bool,
        /// How many were found in all.
        total_matches: Option<u64> = "totalMatches",
        /// Whether `total_matches` is exact.
        count_is_complete: Option<bool> = "countIsComplete",
        /// Whether the search was given up.
        timed_out?: bool = "timedOut",
    }

    /// Finds text in files.
    pub struct Grep {
        /// The regular expression.
        pattern: String,
        /// The file or folder to look in; the current folder if it is absent.
        path: Option<PathBuf>,
        /// A glob that the files fit.
        glob: Option<String>,
        /// What is told of a match.
        output_mode: Option<GrepMode>,
        /// How many lines before a match are shown (`-B`).
        before: Option<Number> = "-B",
        /// How many lines after a match are shown (`-A`).
        after: Option<Number> = "-A",
        /// How many lines on either side of a match are shown (`-C`).
        around: Option<Number> = "-C",
        /// The same by another name.
        context: Option<Number>,
        /// Whether lines are shown with their numbers (`-n`).
        line_numbers: Option<bool> = "-n",
        /// Whether upper and lower case are the same (`-i`).
        ignore_case?: bool = "-i",
        /// Whether only what matches is shown of a line (`-o`).
        only_matching?: bool = "-o",
        /// The type of the files, as ripgrep names it: `rust`, `py` (`type`).
        file_type: Option<String> = "type",
        /// How many lines or files are told at most.
        head_limit: Option<u64> as exact,
        /// How many of them are left out before.
        offset: Option<u64> as exact,
        /// Whether a match may go over several lines.
        multiline?: bool,
    }

    /// A regular expression, for a test.
    pub new Grep(pattern: &str);

    /// What [`Grep`] tells of a match.
    pub enum GrepMode {
        /// The lines.
        Content = "content",
        /// The file.
        FilesWithMatches = "files_with_matches",
        /// How many a file has.
        Count = "count",
    }

    /// What [`Grep`] gives back.
    pub struct GrepResponse {
        /// What is told of a match.
        mode: Option<GrepMode>,
        /// How many files are told; 0 in mode `content`.
        num_files: u64 = "numFiles",
        /// The files with a match; none in mode `content`.
        filenames: Vec<PathBuf>,
        /// The lines, or the counts.
        content: Option<String>,
        /// How many lines are told.
        num_lines: Option<u64> = "numLines",
        /// How many matches were counted.
        num_matches: Option<u64> = "numMatches",
        /// How many files there are in all.
        total_files: Option<u64> = "totalFiles",
        /// How many lines there are in all.
        total_lines: Option<u64> = "totalLines",
        /// The `head_limit` that cut the result.
        applied_limit: Option<u64> = "appliedLimit",
        /// The `offset` that cut the result.
        applied_offset: Option<u64> = "appliedOffset",
        /// Whether the search was given up.
        timed_out?: bool = "timedOut",
    }

    /// Asks a language server.
    pub struct Lsp {
        /// What is asked.
        operation: LspOperation,
        /// The file.
        file_path: PathBuf = "filePath",
        /// The line, from 1 on.
        line: u64,
        /// The character in the line, from 1 on.
        character: u64,
        /// The symbol that is looked for in the workspace.
        query: Option<String>,
    }

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

    /// What [`Lsp`] gives back.
    pub struct LspResponse with defaults {
        /// What was asked.
        operation: LspOperation,
        /// The answer, as text.
        result: String,
        /// The file.
        file_path: PathBuf = "filePath",
        /// How many places were found.
        result_count: Option<u64> = "resultCount",
        /// In how many files they are.
        file_count: Option<u64> = "fileCount",
    }
}
