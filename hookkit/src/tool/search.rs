//! Tools that find files, text and symbols.

use std::path::PathBuf;

use super::tool;
use crate::Number;
use crate::wire::wire;

tool! { Glob = "Glob" => GlobResponse }
tool! { Grep = "Grep" => GrepResponse }
tool! { Lsp = "LSP" => LspResponse }

wire! {
    /// Input of `Glob`, which finds files by their paths.
    pub struct Glob {
        /// Glob pattern.
        pattern: String,
        /// Folder to search; the current folder if absent.
        path: Option<PathBuf>,
    }

    /// Creates the input from a glob pattern.
    pub new Glob(pattern: &str);

    /// Response of [`Glob`].
    pub struct GlobResponse {
        /// Files found.
        filenames: Vec<PathBuf>,
        /// Duration, in milliseconds.
        duration_ms: u64 = "durationMs",
        /// Number of files in `filenames`.
        num_files: u64 = "numFiles",
        /// `true` if more files were found than are returned.
        truncated: bool,
        /// Number of all files found.
        total_matches: Option<u64> = "totalMatches",
        /// `true` if `total_matches` is exact.
        count_is_complete: Option<bool> = "countIsComplete",
        /// `true` if the search timed out.
        timed_out?: bool = "timedOut",
    }

    /// Input of `Grep`, which finds text in files.
    pub struct Grep {
        /// Regular expression.
        pattern: String,
        /// File or folder to search; the current folder if absent.
        path: Option<PathBuf>,
        /// Glob pattern that the files have to match.
        glob: Option<String>,
        /// Kind of result.
        output_mode: Option<GrepMode>,
        /// Number of lines shown before each match (`-B`).
        before: Option<Number> = "-B",
        /// Number of lines shown after each match (`-A`).
        after: Option<Number> = "-A",
        /// Number of lines shown before and after each match (`-C`).
        around: Option<Number> = "-C",
        /// Alternative name of `-C`.
        context: Option<Number>,
        /// `true` if lines are shown with their numbers (`-n`).
        line_numbers: Option<bool> = "-n",
        /// `true` if upper and lower case are the same (`-i`).
        ignore_case?: bool = "-i",
        /// `true` if only the matching part of a line is shown (`-o`).
        only_matching?: bool = "-o",
        /// Type of the files, as ripgrep calls it: `rust`, `py` (`type`).
        file_type: Option<String> = "type",
        /// Maximum number of lines or files returned.
        head_limit: Option<u64> as exact,
        /// Number of lines or files skipped before these.
        offset: Option<u64> as exact,
        /// `true` if a match may span several lines.
        multiline?: bool,
    }

    /// Creates the input from a regular expression.
    pub new Grep(pattern: &str);

    /// Kind of result of [`Grep`].
    pub enum GrepMode {
        /// The matching lines.
        Content = "content",
        /// The files with a match.
        FilesWithMatches = "files_with_matches",
        /// The number of matches in each file.
        Count = "count",
    }

    /// Response of [`Grep`].
    pub struct GrepResponse {
        /// Kind of result.
        mode: Option<GrepMode>,
        /// Number of files returned; 0 in mode `content`.
        num_files: u64 = "numFiles",
        /// Files with a match; empty in mode `content`.
        filenames: Vec<PathBuf>,
        /// Lines, or counts.
        content: Option<String>,
        /// Number of lines returned.
        num_lines: Option<u64> = "numLines",
        /// Number of matches counted.
        num_matches: Option<u64> = "numMatches",
        /// Number of all files.
        total_files: Option<u64> = "totalFiles",
        /// Number of all lines.
        total_lines: Option<u64> = "totalLines",
        /// The `head_limit` that cut the result.
        applied_limit: Option<u64> = "appliedLimit",
        /// The `offset` that cut the result.
        applied_offset: Option<u64> = "appliedOffset",
        /// `true` if the search timed out.
        timed_out?: bool = "timedOut",
    }

    /// Input of `LSP`, which queries a language server.
    pub struct Lsp {
        /// The operation.
        operation: LspOperation,
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// Line number, from 1.
        line: u64,
        /// Position of the character in the line, from 1.
        character: u64,
        /// Symbol to find in the workspace.
        query: Option<String>,
    }

    /// An operation of a language server.
    pub enum LspOperation {
        /// The definition of a symbol.
        GoToDefinition = "goToDefinition",
        /// The references to a symbol.
        FindReferences = "findReferences",
        /// Information about a symbol.
        Hover = "hover",
        /// The symbols of a file.
        DocumentSymbol = "documentSymbol",
        /// The symbols of the workspace.
        WorkspaceSymbol = "workspaceSymbol",
        /// The implementations of a symbol.
        GoToImplementation = "goToImplementation",
        /// The function at a position.
        PrepareCallHierarchy = "prepareCallHierarchy",
        /// The callers of a function.
        IncomingCalls = "incomingCalls",
        /// The functions that a function calls.
        OutgoingCalls = "outgoingCalls",
    }

    /// Response of [`Lsp`].
    pub struct LspResponse with defaults {
        /// The operation.
        operation: LspOperation,
        /// Result, as text.
        result: String,
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// Number of results.
        result_count: Option<u64> = "resultCount",
        /// Number of files that contain results.
        file_count: Option<u64> = "fileCount",
    }
}
