//! Tools that work on projects and designs in the user's account.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Projects = "Projects" => ProjectsResponse }
tool! { ClaudeDesign = "ClaudeDesign" => ClaudeDesignResponse }

wire! {
    /// Input of `Projects`, which reads and writes a project in the user's account.
    pub struct Projects {
        /// The method.
        method: ProjectMethod,
        /// Path of the document within the project.
        path: Option<String>,
        /// New content of the document.
        content: Option<String>,
        /// Local file with the new content of the document.
        local_path: Option<PathBuf>,
        /// `true` if the document is shown to the user.
        present_to_user?: bool,
        /// Query to search for.
        query: Option<String>,
        /// Maximum number of hits returned.
        n: Option<Number>,
    }

    /// A method of [`Projects`].
    pub enum ProjectMethod {
        /// Describes the project.
        Info = "project_info",
        /// Reads a document.
        Read = "project_read",
        /// Searches the documents.
        Search = "project_search",
        /// Writes a document.
        Write = "project_write",
        /// Deletes a document.
        Delete = "project_delete",
        /// Lists the files of the project's memory.
        MemoryList = "project_memory_list",
        /// Reads a file of the project's memory.
        MemoryRead = "project_memory_read",
    }

    /// Response of [`Projects`]; its `method` selects the variant.
    #[derive(Eq)]
    pub enum ProjectsResponse by "method" {
        /// A description of the project.
        Info(ProjectInfo) = "project_info",
        /// A document.
        Read(ProjectRead) = "project_read",
        /// The hits of a search.
        Search(ProjectSearch) = "project_search",
        /// A written document.
        Write(ProjectWrite) = "project_write",
        /// A deleted document.
        Delete(ProjectDelete) = "project_delete",
        /// The files of the project's memory.
        MemoryList(ProjectMemoryList) = "project_memory_list",
        /// A file of the project's memory.
        MemoryRead(ProjectMemoryRead) = "project_memory_read",
    }

    /// A project in the user's account.
    pub struct ProjectInfo with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// Local file with the whole output, if it is too long for the model.
        local_file: Option<PathBuf>,
        /// Name of the project.
        name: String,
        /// Description of the project.
        description: String,
        /// Instructions to models.
        instructions: String,
        /// Documents of the project, each with `path` and `created_at`.
        docs: Vec<Json>,
        /// Files of the project, each with `path`, `file_kind` and `created_at`.
        files?: Vec<Json>,
        /// Sources of documents, each with `type` and `config`.
        sync_sources?: Vec<Json>,
        /// Current and maximum size of the project.
        knowledge: ProjectKnowledge,
    }

    /// Current and maximum size of a project, as its service counts them.
    pub struct ProjectKnowledge with defaults {
        /// Current size.
        knowledge_size: u64,
        /// Maximum size.
        max_knowledge_size: u64,
    }

    /// A document of a project.
    pub struct ProjectRead with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// Path of the document within the project.
        path: String,
        /// Kind of file.
        file_kind: Option<String>,
        /// Content of the document.
        content: Option<String>,
        /// Local file with the content, if it is too long for the model.
        local_file: Option<PathBuf>,
        /// Time of creation.
        created_at: Option<String>,
    }

    /// The hits of a search in a project.
    pub struct ProjectSearch with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// `true` if the project is searched by meaning.
        rag: bool,
        /// The hits, each with `name`, `doc_uuid`, `text` and more.
        hits?: Vec<Json>,
        /// The documents, if there are no hits.
        docs?: Vec<String>,
    }

    /// A document written to a project.
    pub struct ProjectWrite with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// Path of the document within the project.
        path: String,
        /// Id of the document.
        doc_uuid: String,
        /// `true` if the document existed before.
        replaced: bool,
        /// `true` if the document is shown to the user.
        present_to_user?: bool,
        /// Local file with the content of the document.
        local_path: Option<PathBuf>,
    }

    /// A document deleted from a project.
    pub struct ProjectDelete with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// Path of the document within the project.
        path: String,
        /// `true` if the document was deleted.
        deleted: bool,
    }

    /// The files of a project's memory.
    pub struct ProjectMemoryList with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// The files, each with `path`, `size_bytes`, `updated_at` and `truncated`.
        files: Vec<Json>,
        /// `true` if there are more files.
        truncated: bool,
    }

    /// A file of a project's memory.
    pub struct ProjectMemoryRead with defaults {
        /// Notice to the model.
        notice: Option<String>,
        /// Path of the file within the memory.
        path: String,
        /// Content of the file.
        content: Option<String>,
        /// Local file with the content, if it is too long for the model.
        local_file: Option<PathBuf>,
        /// Size of the file, in bytes.
        size_bytes: u64,
        /// Time of the last change.
        updated_at: Option<String>,
        /// `true` if the content was cut.
        truncated: bool,
    }

    /// Input of `ClaudeDesign`, which calls the design service.
    pub struct ClaudeDesign {
        /// The operation.
        operation: String,
        /// Arguments of the request to the service: an object.
        arguments: Json,
    }

    /// Response of [`ClaudeDesign`].
    pub struct ClaudeDesignResponse with defaults {
        /// The operation.
        operation: String,
        /// Response of the service: objects.
        content: Vec<Json>,
        /// `true` if the operation failed.
        is_error?: bool = "isError",
    }
}
