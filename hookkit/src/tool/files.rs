//! Tools that read and change files, and the types of several such tools.

use std::path::PathBuf;

use super::{ArtifactRead, NotDecoded, tool};
use crate::Json;
use crate::wire::wire;

tool! { Read = "Read" => ReadResponse, compiled here }
tool! { Write = "Write" => WriteResponse, compiled here }
tool! { Edit = "Edit" => EditResponse, compiled here }
tool! { NotebookEdit = "NotebookEdit" => NotebookEditResponse }
tool! { FileAccess = "Read|Write|Edit" => NotDecoded, compiled here }
tool! { FileChange = "Write|Edit" => NotDecoded, compiled here }

wire! {
    /// Input of `Read`, which reads a file.
    pub struct Read {
        /// Path of the file.
        file_path: PathBuf,
        /// Number of the first line to read.
        offset: Option<u64> as exact,
        /// Maximum number of lines to read.
        limit: Option<u64> as exact,
        /// Pages of a PDF: `3`, `1-5`.
        pages: Option<String>,
        /// `true` if a large file is read, too.
        allow_large?: bool,
    }

    /// Creates the input from the file's path; the whole file is read.
    pub new Read(file_path: impl Into<PathBuf>);

    /// Response of [`Read`]; its `type` selects the variant.
    #[derive(Eq)]
    pub enum ReadResponse by "type" {
        /// Lines of text.
        Text(ReadText) = "text",
        /// An image.
        Image(ReadImage) = "image",
        /// A Jupyter notebook.
        Notebook(ReadNotebook) = "notebook",
        /// A whole PDF.
        Pdf(ReadPdf) = "pdf",
        /// Pages of a PDF, each as an image.
        Parts(ReadParts) = "parts",
    }

    /// Response of [`Read`] for a text file.
    pub struct ReadText {
        /// The file, and the lines that were read.
        file: TextFile,
        /// Version of the artifact, if the file belongs to one.
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// A text file; the read returned some of its lines.
    pub struct TextFile {
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// The lines that were read.
        content: String,
        /// Number of lines read.
        num_lines: u64 = "numLines",
        /// Number of the first line read.
        start_line: u64 = "startLine",
        /// Number of lines in the file.
        total_lines: u64 = "totalLines",
        /// `true` if the text was cut because it has too many tokens.
        truncated_by_token_cap?: bool = "truncatedByTokenCap",
    }

    /// Response of [`Read`] for an image.
    pub struct ReadImage with defaults {
        /// The image.
        file: ImageFile,
    }

    /// An image file.
    pub struct ImageFile with defaults {
        /// Content of the file, in base64.
        base64: String,
        /// Media type of the image: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        media_type: String = "type",
        /// Size of the file, in bytes.
        original_size: u64 = "originalSize",
        /// Dimensions of the image, if the client found them.
        dimensions: Option<ImageDimensions>,
    }

    /// Dimensions of an image, in pixels.
    pub struct ImageDimensions {
        /// Width of the original image.
        original_width: Option<u64> = "originalWidth",
        /// Height of the original image.
        original_height: Option<u64> = "originalHeight",
        /// Width of the image that is sent to the model.
        display_width: Option<u64> = "displayWidth",
        /// Height of the image that is sent to the model.
        display_height: Option<u64> = "displayHeight",
    }

    /// Response of [`Read`] for a Jupyter notebook.
    pub struct ReadNotebook {
        /// The notebook.
        file: NotebookFile,
    }

    /// A Jupyter notebook.
    pub struct NotebookFile {
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// The cells; the client does not publish their shape.
        cells: Vec<Json>,
    }

    /// Response of [`Read`] for a whole PDF.
    pub struct ReadPdf with defaults {
        /// The PDF.
        file: PdfFile,
    }

    /// A PDF file.
    pub struct PdfFile with defaults {
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// Content of the file, in base64.
        base64: String,
        /// Size of the file, in bytes.
        original_size: u64 = "originalSize",
    }

    /// Response of [`Read`] for pages of a PDF.
    pub struct ReadParts with defaults {
        /// The PDF, and the folder with the images of its pages.
        file: PartsFile,
        /// Number of the first page.
        first_page: Option<u64> = "firstPage",
        /// The pages.
        pages?: Vec<PdfPage>,
    }

    /// A PDF file whose pages were converted to images.
    pub struct PartsFile with defaults {
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// Size of the file, in bytes.
        original_size: u64 = "originalSize",
        /// Number of pages converted.
        count: u64,
        /// Folder with the images.
        output_dir: PathBuf = "outputDir",
    }

    /// A page of a PDF, as an image.
    pub struct PdfPage with defaults {
        /// Content of the image, in base64.
        base64: String,
        /// Media type of the image, as in [`ImageFile::media_type`].
        media_type: String = "mediaType",
        /// Error that prevented the conversion of the page.
        error: Option<String>,
    }

    /// Input of `Write`, which writes a whole file.
    pub struct Write {
        /// Path of the file.
        file_path: PathBuf,
        /// New content of the file.
        content: String,
    }

    /// Creates the input from the file's path and its new content.
    pub new Write(file_path: impl Into<PathBuf>, content: &str);

    /// Response of [`Write`].
    pub struct WriteResponse {
        /// Effect on the file.
        kind: WriteKind = "type",
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// New content of the file.
        content: String,
        /// Changes, in their order; empty if the file is new.
        structured_patch: Vec<PatchHunk> as defaulted = "structuredPatch",
        /// Previous content of the file, if it existed.
        original_file: Option<String> = "originalFile",
        /// Difference between the file and its version in git.
        git_diff: Option<GitDiff> = "gitDiff",
        /// `true` if the user changed the content that the model proposed.
        user_modified?: bool = "userModified",
        /// `true` if the change was staged.
        staged?: bool,
    }

    /// Effect of [`Write`] on a file.
    pub enum WriteKind {
        /// The file did not exist.
        Create = "create",
        /// The file existed, and its content has changed.
        Update = "update",
    }

    /// Input of `Edit`, which replaces text in a file.
    pub struct Edit {
        /// Path of the file.
        file_path: PathBuf,
        /// Text to find.
        old_string: String,
        /// Replacement for that text.
        new_string: String,
        /// `true` if every occurrence is replaced.
        replace_all?: bool,
    }

    /// Creates the input from the file's path, the text to find and its replacement.
    pub new Edit(file_path: impl Into<PathBuf>, old_string: &str, new_string: &str);

    /// Response of [`Edit`].
    pub struct EditResponse {
        /// Path of the file.
        file_path: PathBuf = "filePath",
        /// Text that was found.
        old_string: String = "oldString",
        /// Replacement for that text.
        new_string: String = "newString",
        /// Content of the whole file before the edit.
        original_file: Option<String> = "originalFile",
        /// Changes, in their order.
        structured_patch: Vec<PatchHunk> as defaulted = "structuredPatch",
        /// `true` if the user changed the text that the model proposed.
        user_modified: bool as written = "userModified",
        /// `true` if every occurrence was replaced.
        replace_all: bool as written = "replaceAll",
        /// Difference between the file and its version in git.
        git_diff: Option<GitDiff> = "gitDiff",
        /// `true` if the change was staged.
        staged?: bool,
        /// `true` if the model had not read the file before.
        content_not_in_model_context?: bool = "contentNotInModelContext",
    }

    /// Consecutive lines of a file, before and after a change, as in a unified diff.
    pub struct PatchHunk {
        /// Number of the first line before the change.
        old_start: u64 = "oldStart",
        /// Number of lines before the change.
        old_lines: u64 = "oldLines",
        /// Number of the first line after the change.
        new_start: u64 = "newStart",
        /// Number of lines after the change.
        new_lines: u64 = "newLines",
        /// The lines, each with a leading space, `-` or `+`.
        lines: Vec<String>,
    }

    /// Difference between a file and its version in git.
    pub struct GitDiff with defaults {
        /// Path of the file.
        filename: PathBuf,
        /// State of the file in git.
        status: GitDiffStatus,
        /// Number of lines added.
        additions: u64,
        /// Number of lines removed.
        deletions: u64,
        /// Sum of `additions` and `deletions`.
        changes: u64,
        /// The unified diff.
        patch: String,
        /// The repository, if the client found one.
        repository: Option<String>,
    }

    /// State of a file in git.
    pub enum GitDiffStatus {
        /// The file existed before.
        Modified = "modified",
        /// The file is new.
        Added = "added",
    }

    /// Input of `NotebookEdit`, which changes a cell of a Jupyter notebook.
    pub struct NotebookEdit {
        /// Path of the notebook.
        notebook_path: PathBuf,
        /// Id of the cell; a new cell is inserted after it.
        cell_id: Option<String>,
        /// New source of the cell.
        new_source: String,
        /// New type of the cell.
        cell_type: Option<CellType>,
        /// Kind of change to the cell; `replace` if absent.
        edit_mode: Option<CellEdit>,
    }

    /// Creates the input from the notebook's path and the cell's new source.
    pub new NotebookEdit(notebook_path: impl Into<PathBuf>, new_source: &str);

    /// Response of [`NotebookEdit`]. Its members have snake_case names, unlike the responses of most tools.
    pub struct NotebookEditResponse {
        /// New source of the cell.
        new_source: String,
        /// Previous source of the cell.
        old_source: Option<String>,
        /// Id of the cell.
        cell_id: Option<String>,
        /// Type of the cell.
        cell_type: CellType,
        /// Language of the notebook.
        language: String,
        /// Kind of change to the cell.
        edit_mode: CellEdit,
        /// Error message; empty if there was no error.
        error: Option<String>,
        /// Path of the notebook.
        notebook_path: PathBuf,
        /// Content of the whole file before the change.
        original_file: String,
        /// Content of the whole file after the change.
        updated_file: String,
    }

    /// Type of a notebook's cell.
    pub enum CellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }

    /// Kind of change to a notebook's cell.
    pub enum CellEdit {
        /// The cell gets a new source.
        Replace = "replace",
        /// The cell is new.
        Insert = "insert",
        /// The cell is removed.
        Delete = "delete",
    }

    /// Input of [`Read`], [`Write`] or [`Edit`]: the path of a file that is read or changed.
    pub struct FileAccess {
        /// Path of the file.
        file_path: PathBuf,
    }

    /// Creates the input from the file's path.
    pub new FileAccess(file_path: impl Into<PathBuf>);

    /// Input of [`Write`] or [`Edit`]: the path of a changed file.
    ///
    /// Notebooks are not included, because their path is in another member. A guard takes
    /// [`TextChange`](super::TextChange), which has the path in both cases.
    pub struct FileChange {
        /// Path of the file.
        file_path: PathBuf,
    }

    /// Creates the input from the file's path.
    pub new FileChange(file_path: impl Into<PathBuf>);
}
