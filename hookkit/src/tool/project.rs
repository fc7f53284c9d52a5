//! The tools that work on projects and designs of the user's account.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;
use crate::{Json, Number};

tool! { Projects = "Projects" => ProjectsResponse }
tool! { ClaudeDesign = "ClaudeDesign" => ClaudeDesignResponse }

wire! {
    /// Looks into a project of the user's account, and writes into it.
    pub struct Projects {
        /// What is done.
        method: ProjectMethod,
        /// The document, by its path within the project.
        path: Option<String>,
        /// What the document will hold.
        content: Option<String>,
        /// The file of this machine that the document will hold.
        local_path: Option<PathBuf>,
        /// Whether the user is shown the document.
        present_to_user?: bool,
        /// What is searched for.
        query: Option<String>,
        /// How many hits are told at most.
        n: Option<Number>,
    }

    /// What is done with a project.
    pub enum ProjectMethod {
        /// It is described.
        Info = "project_info",
        /// A document is read.
        Read = "project_read",
        /// Documents are searched.
        Search = "project_search",
        /// A document is written.
        Write = "project_write",
        /// A document is deleted.
        Delete = "project_delete",
        /// The files of its memory are told.
        MemoryList = "project_memory_list",
        /// A file of its memory is read.
        MemoryRead = "project_memory_read",
    }

    /// What [`Projects`] gives back, by its `method`.
    #[derive(Eq)]
    pub enum ProjectsResponse by "method" {
        /// The project.
        Info(ProjectInfo) = "project_info",
        /// A document.
        Read(ProjectRead) = "project_read",
        /// Hits.
        Search(ProjectSearch) = "project_search",
        /// The document that was written.
        Write(ProjectWrite) = "project_write",
        /// The document that was deleted.
        Delete(ProjectDelete) = "project_delete",
        /// The files of its memory.
        MemoryList(ProjectMemoryList) = "project_memory_list",
        /// A file of its memory.
        MemoryRead(ProjectMemoryRead) = "project_memory_read",
    }

    /// A project of the user's account.
    pub struct ProjectInfo with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// The file of this machine that has all of it, where it is too long for the model.
        local_file: Option<PathBuf>,
        /// Its name.
        name: String,
        /// What it is for.
        description: String,
        /// What it tells models.
        instructions: String,
        /// Its documents, each with `path` and `created_at`.
        docs: Vec<Json>,
        /// Its files, each with `path`, `file_kind` and `created_at`.
        files?: Vec<Json>,
        /// Where documents come from, each with `type` and `config`.
        sync_sources?: Vec<Json>,
        /// How much it holds, and may hold.
        knowledge: ProjectKnowledge,
    }

    /// How much a project holds, as its service counts it.
    pub struct ProjectKnowledge with defaults {
        /// How much it holds.
        knowledge_size: u64,
        /// How much it may hold.
        max_knowledge_size: u64,
    }

    /// A document of a project.
    pub struct ProjectRead with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// Its path within the project.
        path: String,
        /// What kind of file it is.
        file_kind: Option<String>,
        /// What it holds.
        content: Option<String>,
        /// The file of this machine that has it, where it is too long for the model.
        local_file: Option<PathBuf>,
        /// When it was made.
        created_at: Option<String>,
    }

    /// What was found in a project.
    pub struct ProjectSearch with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// Whether the project is searched by meaning.
        rag: bool,
        /// The hits, each with `name`, `doc_uuid`, `text` and more.
        hits?: Vec<Json>,
        /// The documents, where there are no hits.
        docs?: Vec<String>,
    }

    /// A document of a project that was written.
    pub struct ProjectWrite with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// Its path within the project.
        path: String,
        /// Its id.
        doc_uuid: String,
        /// Whether it was there before.
        replaced: bool,
        /// Whether the user is shown it.
        present_to_user?: bool,
        /// The file of this machine that it holds.
        local_path: Option<PathBuf>,
    }

    /// A document of a project that was deleted.
    pub struct ProjectDelete with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// Its path within the project.
        path: String,
        /// Whether it was deleted.
        deleted: bool,
    }

    /// The files of a project's memory.
    pub struct ProjectMemoryList with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// The files, each with `path`, `size_bytes`, `updated_at` and `truncated`.
        files: Vec<Json>,
        /// Whether there are more.
        truncated: bool,
    }

    /// A file of a project's memory.
    pub struct ProjectMemoryRead with defaults {
        /// What the model should mind.
        notice: Option<String>,
        /// Its path within the memory.
        path: String,
        /// What it holds.
        content: Option<String>,
        /// The file of this machine that has it, where it is too long for the model.
        local_file: Option<PathBuf>,
        /// How many bytes it has.
        size_bytes: u64,
        /// When it was changed last.
        updated_at: Option<String>,
        /// Whether it was cut.
        truncated: bool,
    }

    /// Calls the design service.
    pub struct ClaudeDesign {
        /// What is done.
        operation: String,
        /// What the service is sent: an object.
        arguments: Json,
    }

    /// What [`ClaudeDesign`] gives back.
    pub struct ClaudeDesignResponse with defaults {
        /// What was done.
        operation: String,
        /// What the service answered: objects.
        content: Vec<Json>,
        /// Whether it failed.
        is_error?: bool = "isError",
    }
}
