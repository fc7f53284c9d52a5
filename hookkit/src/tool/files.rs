//! The tools that read and change files, and sets of them.

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
    /// Reads a file.
    pub struct Read {
        /// The file.
        file_path: PathBuf,
        /// The number of the first line that is read.
        offset: Option<u64> as exact,
        /// How many lines are read at most.
        limit: Option<u64> as exact,
        /// Of a PDF, the pages: `3`, `1-5`.
        pages: Option<String>,
        /// Whether a large file is read, too.
        allow_large?: bool,
    }

    /// A whole file, for a test.
    pub new Read(file_path: impl Into<PathBuf>);

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

    /// Lines of text that [`Read`] gives back.
    pub struct ReadText {
        /// The file and what was read of it.
        file: TextFile,
        /// Where the file is an artifact's, which one.
        artifact_read: Option<ArtifactRead> = "artifactRead",
    }

    /// A text file, of which some lines were read.
    pub struct TextFile {
        /// The file.
        file_path: PathBuf = "filePath",
        /// The lines that were read.
        content: String,
        /// How many lines these are.
        num_lines: u64 = "numLines",
        /// The number of the first of them.
        start_line: u64 = "startLine",
        /// How many lines the file has.
        total_lines: u64 = "totalLines",
        /// Whether the text was cut, since it has too many tokens.
        truncated_by_token_cap?: bool = "truncatedByTokenCap",
    }

    /// A picture that [`Read`] gives back.
    pub struct ReadImage with defaults {
        /// The picture.
        file: ImageFile,
    }

    /// A picture.
    pub struct ImageFile with defaults {
        /// Its bytes, in base64.
        base64: String,
        /// Its media type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
        media_type: String = "type",
        /// How many bytes the file has.
        original_size: u64 = "originalSize",
        /// Its size in pixels, where it is known.
        dimensions: Option<ImageDimensions>,
    }

    /// The size of a picture, in pixels.
    pub struct ImageDimensions {
        /// Its width in the file.
        original_width: Option<u64> = "originalWidth",
        /// Its height in the file.
        original_height: Option<u64> = "originalHeight",
        /// The width in which the model gets it.
        display_width: Option<u64> = "displayWidth",
        /// The height in which the model gets it.
        display_height: Option<u64> = "displayHeight",
    }

    /// A Jupyter notebook that [`Read`] gives back.
    pub struct ReadNotebook {
        /// The notebook.
        file: NotebookFile,
    }

    /// A Jupyter notebook.
    pub struct NotebookFile {
        /// The file.
        file_path: PathBuf = "filePath",
        /// The cells; the client does not publish their shape.
        cells: Vec<Json>,
    }

    /// A whole PDF that [`Read`] gives back.
    pub struct ReadPdf with defaults {
        /// The PDF.
        file: PdfFile,
    }

    /// A PDF.
    pub struct PdfFile with defaults {
        /// The file.
        file_path: PathBuf = "filePath",
        /// Its bytes, in base64.
        base64: String,
        /// How many bytes it has.
        original_size: u64 = "originalSize",
    }

    /// Pages of a PDF that [`Read`] gives back.
    pub struct ReadParts with defaults {
        /// The PDF, and where its pages are.
        file: PartsFile,
        /// The number of the first page.
        first_page: Option<u64> = "firstPage",
        /// The pages.
        pages?: Vec<PdfPage>,
    }

    /// A PDF whose pages were made pictures.
    pub struct PartsFile with defaults {
        /// The file.
        file_path: PathBuf = "filePath",
        /// How many bytes it has.
        original_size: u64 = "originalSize",
        /// How many pages were made pictures.
        count: u64,
        /// The folder in which the pictures are.
        output_dir: PathBuf = "outputDir",
    }

    /// A page of a PDF, as a picture.
    pub struct PdfPage with defaults {
        /// The picture's bytes, in base64.
        base64: String,
        /// The picture's media type, as [`ImageFile`] has it.
        media_type: String = "mediaType",
        /// Why there is none.
        error: Option<String>,
    }

    /// Writes a whole file.
    pub struct Write {
        /// The file.
        file_path: PathBuf,
        /// What it will hold.
        content: String,
    }

    /// A file and what it will hold, for a test.
    pub new Write(file_path: impl Into<PathBuf>, content: &str);

    /// What [`Write`] gives back.
    pub struct WriteResponse {
        /// Whether the file was there.
        kind: WriteKind = "type",
        /// The file.
        file_path: PathBuf = "filePath",
        /// What it holds now.
        content: String,
        /// The changes, in their order; none where the file is new.
        structured_patch: Vec<PatchHunk> as defaulted = "structuredPatch",
        /// What it held before, if it was there.
        original_file: Option<String> = "originalFile",
        /// How the file differs from what git has.
        git_diff: Option<GitDiff> = "gitDiff",
        /// Whether the user changed what the model wanted to write.
        user_modified?: bool = "userModified",
        /// Whether the change was staged.
        staged?: bool,
    }

    /// What became of a file that [`Write`] wrote.
    pub enum WriteKind {
        /// It was not there.
        Create = "create",
        /// It was there, and holds something else now.
        Update = "update",
    }

    /// Replaces text in a file.
    pub struct Edit {
        /// The file.
        file_path: PathBuf,
        /// The text to find.
        old_string: String,
        /// What stands there afterwards.
        new_string: String,
        /// Whether every occurrence is replaced.
        replace_all?: bool,
    }

    /// A file, the text to find in it and what stands there afterwards, for a test.
    pub new Edit(file_path: impl Into<PathBuf>, old_string: &str, new_string: &str);

    /// What [`Edit`] gives back.
    pub struct EditResponse {
        /// The file.
        file_path: PathBuf = "filePath",
        /// The text that was found.
        old_string: String = "oldString",
        /// What stands there now.
        new_string: String = "newString",
        /// The whole file as it was before.
        original_file: Option<String> = "originalFile",
        /// The changes, in their order.
        structured_patch: Vec<PatchHunk> as defaulted = "structuredPatch",
        /// Whether the user changed what the model wanted to write.
        user_modified: bool as written = "userModified",
        /// Whether every occurrence was replaced.
        replace_all: bool as written = "replaceAll",
        /// How the file differs from what git has.
        git_diff: Option<GitDiff> = "gitDiff",
        /// Whether the change was staged.
        staged?: bool,
        /// Whether the model had not read the file before.
        content_not_in_model_context?: bool = "contentNotInModelContext",
    }

    /// Lines that follow each other in a file, before and after a change, as in a unified diff.
    pub struct PatchHunk {
        /// The number of the first line before the change.
        old_start: u64 = "oldStart",
        /// How many lines it has before the change.
        old_lines: u64 = "oldLines",
        /// The number of the first line after the change.
        new_start: u64 = "newStart",
        /// How many lines it has after the change.
        new_lines: u64 = "newLines",
        /// The lines, each behind a blank, a `-` or a `+`.
        lines: Vec<String>,
    }

    /// How a file differs from what git has of it.
    pub struct GitDiff with defaults {
        /// The file.
        filename: PathBuf,
        /// Whether git knows the file.
        status: GitDiffStatus,
        /// How many lines were added.
        additions: u64,
        /// How many lines were taken out.
        deletions: u64,
        /// The sum of both.
        changes: u64,
        /// The unified diff.
        patch: String,
        /// The repository, where it is known.
        repository: Option<String>,
    }

    /// What a file is to git.
    pub enum GitDiffStatus {
        /// It was there before.
        Modified = "modified",
        /// It is new.
        Added = "added",
    }

    /// Changes a cell of a Jupyter notebook.
    pub struct NotebookEdit {
        /// The notebook.
        notebook_path: PathBuf,
        /// The cell; a new one stands behind it.
        cell_id: Option<String>,
        /// What the cell will hold.
        new_source: String,
        /// What the cell will be.
        cell_type: Option<CellType>,
        /// What is done with the cell; it is replaced if this is absent.
        edit_mode: Option<CellEdit>,
    }

    /// A notebook and what a cell of it will hold, for a test.
    pub new NotebookEdit(notebook_path: impl Into<PathBuf>, new_source: &str);

    /// What [`NotebookEdit`] gives back. Other than with most tools the members' names are in snake_case.
    pub struct NotebookEditResponse {
        /// What the cell holds now.
        new_source: String,
        /// What it held before.
        old_source: Option<String>,
        /// The cell.
        cell_id: Option<String>,
        /// What the cell is.
        cell_type: CellType,
        /// The notebook's language.
        language: String,
        /// What was done with the cell.
        edit_mode: CellEdit,
        /// What went wrong; empty if nothing did.
        error: Option<String>,
        /// The notebook.
        notebook_path: PathBuf,
        /// The whole file as it was before.
        original_file: String,
        /// The whole file as it is now.
        updated_file: String,
    }

    /// What a cell of a notebook holds.
    pub enum CellType {
        /// Code.
        Code = "code",
        /// Text.
        Markdown = "markdown",
    }

    /// What is done with a cell of a notebook.
    pub enum CellEdit {
        /// It holds something else afterwards.
        Replace = "replace",
        /// It is new.
        Insert = "insert",
        /// It is taken out.
        Delete = "delete",
    }

    /// [`Read`], [`Write`] or [`Edit`]: a file is looked into or changed.
    pub struct FileAccess {
        /// The file.
        file_path: PathBuf,
    }

    /// A call on this file, for a test.
    pub new FileAccess(file_path: impl Into<PathBuf>);

    /// [`Write`] or [`Edit`]: a file is changed, but no notebook, whose path is another member.
    ///
    /// A guard takes [`TextChange`](super::TextChange), which has the path of either.
    pub struct FileChange {
        /// The file.
        file_path: PathBuf,
    }

    /// A call on this file, for a test.
    pub new FileChange(file_path: impl Into<PathBuf>);
}
