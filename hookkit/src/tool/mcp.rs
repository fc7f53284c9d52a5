//! The tools that look at MCP servers, and for tools.
//!
//! The tools of a server are types of one's own: see [`ToolInput`](super::ToolInput).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{or_default, tool};
use crate::Number;
use crate::open::{count, open_enum};

tool! { ListMcpResourcesTool = "ListMcpResourcesTool" => Vec<McpResource> }
tool! { ReadMcpResourceTool = "ReadMcpResourceTool" => ReadMcpResourceToolResponse }
tool! { ReadMcpResourceDirTool = "ReadMcpResourceDirTool" => ReadMcpResourceDirToolResponse }
tool! { RefreshMcpTools = "RefreshMcpTools" => Vec<RefreshedMcpServer> }
tool! { ToolSearch = "ToolSearch" => ToolSearchResponse }

/// Looks at the resources of MCP servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListMcpResourcesTool {
    /// The server; all of them if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// A resource of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct McpResource {
    /// Its address within the server.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// What it is. What a folder holds is told without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The server. What a folder holds is told without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// Reads a resource of an MCP server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadMcpResourceTool {
    /// The server.
    pub server: String,
    /// The resource.
    pub uri: String,
}

/// What [`ReadMcpResourceTool`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadMcpResourceToolResponse {
    /// What the resource holds.
    pub contents: Vec<McpResourceContent>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a resource of an MCP server holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct McpResourceContent {
    /// Its address within the server.
    pub uri: String,
    /// Its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file to which it was saved, if it is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_saved_to: Option<PathBuf>,
}

/// Looks at what a folder of an MCP server holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadMcpResourceDirTool {
    /// The server.
    pub server: String,
    /// The folder.
    pub uri: String,
}

/// What [`ReadMcpResourceDirTool`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadMcpResourceDirToolResponse {
    /// What the folder holds.
    pub resources: Vec<McpResource>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Asks MCP servers anew which tools they have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefreshMcpTools {
    /// The server; all of them if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// An MCP server that was asked anew which tools it has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RefreshedMcpServer {
    /// The server.
    pub server: String,
    /// What came of it.
    pub status: McpRefresh,
    /// How many tools it has.
    #[serde(deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub tool_count: Option<u64>,
    /// The tools that are new.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// The tools that are gone.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Why it could not be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

open_enum! {
    /// What came of asking an MCP server.
    pub enum McpRefresh {
        /// It told its tools.
        Refreshed = "refreshed",
        /// It failed.
        Error = "error",
        /// It is not connected.
        NotConnected = "not_connected",
    }
}

/// Looks for tools that the model is not told of before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolSearch {
    /// Words to find, or names: `select:TaskCreate,TaskUpdate`.
    pub query: String,
    /// How many tools are told at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_results: Option<Number>,
}

/// What [`ToolSearch`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ToolSearchResponse {
    /// The names of the tools that were found.
    pub matches: Vec<String>,
    /// What was looked for.
    pub query: String,
    /// How many tools there are that the model is not told of before.
    pub total_deferred_tools: u64,
    /// MCP servers that have not told their tools yet.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub pending_mcp_servers: Vec<String>,
    /// MCP servers that failed.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub failed_mcp_servers: Vec<FailedMcpServer>,
}

/// An MCP server that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct FailedMcpServer {
    /// The server.
    pub name: String,
    /// What went wrong, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
