//! The tools that work on projects and designs of the user's account.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::union::open_union;
use super::{is_false, or_default, tool};
use crate::open::open_enum;
use crate::{Json, Number};

tool! { Projects = "Projects" => ProjectsResponse }
tool! { ClaudeDesign = "ClaudeDesign" => ClaudeDesignResponse }

/// Looks into a project of the user's account, and writes into it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Projects {
    /// What is done.
    pub method: ProjectMethod,
    /// The document, by its path within the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What the document will hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The file of this machine that the document will hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_path: Option<PathBuf>,
    /// Whether the user is shown the document.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub present_to_user: bool,
    /// What is searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// How many hits are told at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<Number>,
}

open_enum! {
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
}

open_union! {
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
}

/// A project of the user's account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectInfo {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The file of this machine that has all of it, where it is too long for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_file: Option<PathBuf>,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it tells models.
    pub instructions: String,
    /// Its documents, each with `path` and `created_at`.
    pub docs: Vec<Json>,
    /// Its files, each with `path`, `file_kind` and `created_at`.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Json>,
    /// Where documents come from, each with `type` and `config`.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub sync_sources: Vec<Json>,
    /// How much it holds, and may hold.
    pub knowledge: ProjectKnowledge,
}

/// How much a project holds, as its service counts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectKnowledge {
    /// How much it holds.
    pub knowledge_size: u64,
    /// How much it may hold.
    pub max_knowledge_size: u64,
}

/// A document of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectRead {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Its path within the project.
    pub path: String,
    /// What kind of file it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_kind: Option<String>,
    /// What it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The file of this machine that has it, where it is too long for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_file: Option<PathBuf>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// What was found in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectSearch {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Whether the project is searched by meaning.
    pub rag: bool,
    /// The hits, each with `name`, `doc_uuid`, `text` and more.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<Json>,
    /// The documents, where there are no hits.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<String>,
}

/// A document of a project that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectWrite {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Its path within the project.
    pub path: String,
    /// Its id.
    pub doc_uuid: String,
    /// Whether it was there before.
    pub replaced: bool,
    /// Whether the user is shown it.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub present_to_user: bool,
    /// The file of this machine that it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_path: Option<PathBuf>,
}

/// A document of a project that was deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectDelete {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Its path within the project.
    pub path: String,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// The files of a project's memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectMemoryList {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The files, each with `path`, `size_bytes`, `updated_at` and `truncated`.
    pub files: Vec<Json>,
    /// Whether there are more.
    pub truncated: bool,
}

/// A file of a project's memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ProjectMemoryRead {
    /// What the model should mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Its path within the memory.
    pub path: String,
    /// What it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The file of this machine that has it, where it is too long for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_file: Option<PathBuf>,
    /// How many bytes it has.
    pub size_bytes: u64,
    /// When it was changed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Whether it was cut.
    pub truncated: bool,
}

/// Calls the design service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClaudeDesign {
    /// What is done.
    pub operation: String,
    /// What the service is sent: an object.
    pub arguments: Json,
}

/// What [`ClaudeDesign`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ClaudeDesignResponse {
    /// What was done.
    pub operation: String,
    /// What the service answered: objects.
    pub content: Vec<Json>,
    /// Whether it failed.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub is_error: bool,
}
