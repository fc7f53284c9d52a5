//! The tools that look at MCP servers, and for tools.
//!
//! The tools of a server are types of one's own: see [`ToolInput`](super::ToolInput).

use std::path::PathBuf;

use super::tool;
use crate::Number;
use crate::wire::wire;

tool! { ListMcpResourcesTool = "ListMcpResourcesTool" => Vec<McpResource> }
tool! { ReadMcpResourceTool = "ReadMcpResourceTool" => ReadMcpResourceToolResponse }
tool! { ReadMcpResourceDirTool = "ReadMcpResourceDirTool" => ReadMcpResourceDirToolResponse }
tool! { RefreshMcpTools = "RefreshMcpTools" => Vec<RefreshedMcpServer> }
tool! { ToolSearch = "ToolSearch" => ToolSearchResponse }

wire! {
    /// Looks at the resources of MCP servers.
    pub struct ListMcpResourcesTool {
        /// The server; all of them if it is absent.
        server: Option<String>,
    }

    /// A resource of an MCP server.
    pub struct McpResource with defaults {
        /// Its address within the server.
        uri: String,
        /// Its name.
        name: String,
        /// Its media type.
        mime_type: Option<String> = "mimeType",
        /// What it is. What a folder holds is told without it.
        description: Option<String>,
        /// The server. What a folder holds is told without it.
        server: Option<String>,
    }

    /// Reads a resource of an MCP server.
    pub struct ReadMcpResourceTool {
        /// The server.
        server: String,
        /// The resource.
        uri: String,
    }

    /// What [`ReadMcpResourceTool`] gives back.
    pub struct ReadMcpResourceToolResponse with defaults {
        /// What the resource holds.
        contents: Vec<McpResourceContent>,
        /// Why it could not be read.
        error: Option<String>,
    }

    /// What a resource of an MCP server holds.
    pub struct McpResourceContent with defaults {
        /// Its address within the server.
        uri: String,
        /// Its media type.
        mime_type: Option<String> = "mimeType",
        /// The text, if it is one.
        text: Option<String>,
        /// The file to which it was saved, if it is no text.
        blob_saved_to: Option<PathBuf> = "blobSavedTo",
    }

    /// Looks at what a folder of an MCP server holds.
    pub struct ReadMcpResourceDirTool {
        /// The server.
        server: String,
        /// The folder.
        uri: String,
    }

    /// What [`ReadMcpResourceDirTool`] gives back.
    pub struct ReadMcpResourceDirToolResponse with defaults {
        /// What the folder holds.
        resources: Vec<McpResource>,
        /// Why it could not be read.
        error: Option<String>,
    }

    /// Asks MCP servers anew which tools they have.
    pub struct RefreshMcpTools {
        /// The server; all of them if it is absent.
        server: Option<String>,
    }

    /// An MCP server that was asked anew which tools it has.
    pub struct RefreshedMcpServer with defaults {
        /// The server.
        server: String,
        /// What came of it.
        status: McpRefresh,
        /// How many tools it has.
        tool_count: Option<u64> = "toolCount",
        /// The tools that are new.
        added?: Vec<String>,
        /// The tools that are gone.
        removed?: Vec<String>,
        /// Why it could not be asked.
        error: Option<String>,
    }

    /// What came of asking an MCP server.
    pub enum McpRefresh {
        /// It told its tools.
        Refreshed = "refreshed",
        /// It failed.
        Error = "error",
        /// It is not connected.
        NotConnected = "not_connected",
    }

    /// Looks for tools that the model is not told of before.
    pub struct ToolSearch {
        /// Words to find, or names: `select:TaskCreate,TaskUpdate`.
        query: String,
        /// How many tools are told at most.
        max_results: Option<Number>,
    }

    /// What [`ToolSearch`] gives back.
    pub struct ToolSearchResponse with defaults {
        /// The names of the tools that were found.
        matches: Vec<String>,
        /// What was looked for.
        query: String,
        /// How many tools there are that the model is not told of before.
        total_deferred_tools: u64,
        /// MCP servers that have not told their tools yet.
        pending_mcp_servers?: Vec<String>,
        /// MCP servers that failed.
        failed_mcp_servers?: Vec<FailedMcpServer>,
    }

    /// An MCP server that failed.
    pub struct FailedMcpServer with defaults {
        /// The server.
        name: String,
        /// What went wrong, in a word.
        error_code: Option<String> = "errorCode",
        /// What went wrong.
        error: Option<String>,
    }
}
