//! The tools that read and change files, and sets of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::union::open_union;
use super::{ArtifactRead, NotDecoded, common_tool, is_false, or_default, tool};
use crate::Json;
use crate::open::{count, open_enum};

common_tool! { Read = "Read" => ReadResponse }
common_tool! { Write = "Write" => WriteResponse }
common_tool! { Edit = "Edit" => EditResponse }
tool! { NotebookEdit = "NotebookEdit" => NotebookEditResponse }
common_tool! { FileAccess = "Read|Write|Edit" => NotDecoded }
common_tool! { FileChange = "Write|Edit" => NotDecoded }

/// Reads a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Read {
    /// The file.
    pub file_path: PathBuf,
    /// The number of the first line that is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many lines are read at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Of a PDF, the pages: `3`, `1-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// Whether a large file is read, too.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub allow_large: bool,
}

impl Read {
    /// A whole file, for a test.
    pub fn new(file_path: impl Into<PathBuf>) -> Self {
        Self {
            file_path: file_path.into(),
            ..Self::default()
        }
    }
}

open_union! {
    /// What [`Read`] gives back, by its `type`.
    #[derive(Eq)]
    pub enum ReadResponse by "type" {
        /// Lines of text.
        Text(ReadText) = "text",
        /// A picture.
        Image(ReadImage) = "image",
        /// A Jupyter notebook.
        Notebook(ReadNotebook) = "notebook",
        /// A whole PDF.
        Pdf(ReadPdf) = "pdf",
        /// Pages of a PDF, each as a picture.
        Parts(ReadParts) = "parts",
    }
}

/// Lines of text that [`Read`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadText {
    /// The file and what was read of it.
    pub file: TextFile,
    /// Where the file is an artifact's, which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_read: Option<ArtifactRead>,
}

/// A text file, of which some lines were read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextFile {
    /// The file.
    pub file_path: PathBuf,
    /// The lines that were read.
    pub content: String,
    /// How many lines these are.
    pub num_lines: u64,
    /// The number of the first of them.
    pub start_line: u64,
    /// How many lines the file has.
    pub total_lines: u64,
    /// Whether the text was cut, since it has too many tokens.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub truncated_by_token_cap: bool,
}

/// A picture that [`Read`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadImage {
    /// The picture.
    pub file: ImageFile,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ImageFile {
    /// Its bytes, in base64.
    pub base64: String,
    /// Its media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    #[serde(rename = "type")]
    pub media_type: String,
    /// How many bytes the file has.
    pub original_size: u64,
    /// Its size in pixels, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<ImageDimensions>,
}

/// The size of a picture, in pixels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImageDimensions {
    /// Its width in the file.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub original_width: Option<u64>,
    /// Its height in the file.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub original_height: Option<u64>,
    /// The width in which the model gets it.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub display_width: Option<u64>,
    /// The height in which the model gets it.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub display_height: Option<u64>,
}

/// A Jupyter notebook that [`Read`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadNotebook {
    /// The notebook.
    pub file: NotebookFile,
}

/// A Jupyter notebook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NotebookFile {
    /// The file.
    pub file_path: PathBuf,
    /// The cells; the client does not publish their shape.
    pub cells: Vec<Json>,
}

/// A whole PDF that [`Read`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadPdf {
    /// The PDF.
    pub file: PdfFile,
}

/// A PDF.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PdfFile {
    /// The file.
    pub file_path: PathBuf,
    /// Its bytes, in base64.
    pub base64: String,
    /// How many bytes it has.
    pub original_size: u64,
}

/// Pages of a PDF that [`Read`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ReadParts {
    /// The PDF, and where its pages are.
    pub file: PartsFile,
    /// The number of the first page.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub first_page: Option<u64>,
    /// The pages.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<PdfPage>,
}

/// A PDF whose pages were made pictures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PartsFile {
    /// The file.
    pub file_path: PathBuf,
    /// How many bytes it has.
    pub original_size: u64,
    /// How many pages were made pictures.
    pub count: u64,
    /// The folder in which the pictures are.
    pub output_dir: PathBuf,
}

/// A page of a PDF, as a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PdfPage {
    /// The picture's bytes, in base64.
    pub base64: String,
    /// The picture's media type, as [`ImageFile`] has it.
    pub media_type: String,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Writes a whole file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Write {
    /// The file.
    pub file_path: PathBuf,
    /// What it will hold.
    pub content: String,
}

impl Write {
    /// A file and what it will hold, for a test.
    pub fn new(file_path: impl Into<PathBuf>, content: &str) -> Self {
        Self {
            file_path: file_path.into(),
            content: content.to_owned(),
        }
    }
}

/// What [`Write`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WriteResponse {
    /// Whether the file was there.
    #[serde(rename = "type")]
    pub kind: WriteKind,
    /// The file.
    pub file_path: PathBuf,
    /// What it holds now.
    pub content: String,
    /// The changes, in their order; none where the file is new.
    #[serde(default)]
    pub structured_patch: Vec<PatchHunk>,
    /// What it held before, if it was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_file: Option<String>,
    /// How the file differs from what git has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_diff: Option<GitDiff>,
    /// Whether the user changed what the model wanted to write.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub user_modified: bool,
    /// Whether the change was staged.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub staged: bool,
}

open_enum! {
    /// What became of a file that [`Write`] wrote.
    pub enum WriteKind {
        /// It was not there.
        Create = "create",
        /// It was there, and holds something else now.
        Update = "update",
    }
}

/// Replaces text in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Edit {
    /// The file.
    pub file_path: PathBuf,
    /// The text to find.
    pub old_string: String,
    /// What stands there afterwards.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub replace_all: bool,
}

impl Edit {
    /// A file, the text to find in it and what stands there afterwards, for a test.
    pub fn new(file_path: impl Into<PathBuf>, old_string: &str, new_string: &str) -> Self {
        Self {
            file_path: file_path.into(),
            old_string: old_string.to_owned(),
            new_string: new_string.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`Edit`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EditResponse {
    /// The file.
    pub file_path: PathBuf,
    /// The text that was found.
    pub old_string: String,
    /// What stands there now.
    pub new_string: String,
    /// The whole file as it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_file: Option<String>,
    /// The changes, in their order.
    #[serde(default)]
    pub structured_patch: Vec<PatchHunk>,
    /// Whether the user changed what the model wanted to write.
    #[serde(default, deserialize_with = "or_default")]
    pub user_modified: bool,
    /// Whether every occurrence was replaced.
    #[serde(default, deserialize_with = "or_default")]
    pub replace_all: bool,
    /// How the file differs from what git has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_diff: Option<GitDiff>,
    /// Whether the change was staged.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub staged: bool,
    /// Whether the model had not read the file before.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub content_not_in_model_context: bool,
}

/// Lines that follow each other in a file, before and after a change, as in a unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PatchHunk {
    /// The number of the first line before the change.
    pub old_start: u64,
    /// How many lines it has before the change.
    pub old_lines: u64,
    /// The number of the first line after the change.
    pub new_start: u64,
    /// How many lines it has after the change.
    pub new_lines: u64,
    /// The lines, each behind a blank, a `-` or a `+`.
    pub lines: Vec<String>,
}

/// How a file differs from what git has of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct GitDiff {
    /// The file.
    pub filename: PathBuf,
    /// Whether git knows the file.
    pub status: GitDiffStatus,
    /// How many lines were added.
    pub additions: u64,
    /// How many lines were taken out.
    pub deletions: u64,
    /// The sum of both.
    pub changes: u64,
    /// The unified diff.
    pub patch: String,
    /// The repository, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

open_enum! {
    /// What a file is to git.
    pub enum GitDiffStatus {
        /// It was there before.
        Modified = "modified",
        /// It is new.
        Added = "added",
    }
}

/// Changes a cell of a Jupyter notebook.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotebookEdit {
    /// The notebook.
    pub notebook_path: PathBuf,
    /// The cell; a new one stands behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// What the cell will hold.
    pub new_source: String,
    /// What the cell will be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<CellType>,
    /// What is done with the cell; it is replaced if this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_mode: Option<CellEdit>,
}

impl NotebookEdit {
    /// A notebook and what a cell of it will hold, for a test.
    pub fn new(notebook_path: impl Into<PathBuf>, new_source: &str) -> Self {
        Self {
            notebook_path: notebook_path.into(),
            new_source: new_source.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`NotebookEdit`] gives back. Other than with most tools the members' names are in snake_case.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotebookEditResponse {
    /// What the cell holds now.
    pub new_source: String,
    /// What it held before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_source: Option<String>,
    /// The cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// What the cell is.
    pub cell_type: CellType,
    /// The notebook's language.
    pub language: String,
    /// What was done with the cell.
    pub edit_mode: CellEdit,
    /// What went wrong; empty if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The notebook.
    pub notebook_path: PathBuf,
    /// The whole file as it was before.
    pub original_file: String,
    /// The whole file as it is now.
    pub updated_file: String,
}

open_enum! {
    /// What a cell of a notebook holds.
    pub enum CellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }
}

open_enum! {
    /// What is done with a cell of a notebook.
    pub enum CellEdit {
        /// It holds something else afterwards.
        Replace = "replace",
        /// It is new.
        Insert = "insert",
        /// It is taken out.
        Delete = "delete",
    }
}

/// [`Read`], [`Write`] or [`Edit`]: a file is looked into or changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileAccess {
    /// The file.
    pub file_path: PathBuf,
}

/// [`Write`] or [`Edit`]: a file is changed, but no notebook, whose path is another member.
///
/// A guard takes [`TextChange`](super::TextChange), which has the path of either.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FileChange {
    /// The file.
    pub file_path: PathBuf,
}

macro_rules! file_sets {
    ($($set:ident)*) => {$(
        impl $set {
            /// A call on this file, for a test.
            pub fn new(file_path: impl Into<PathBuf>) -> Self {
                Self { file_path: file_path.into() }
            }
        }
    )*};
}

file_sets! { FileAccess FileChange }
