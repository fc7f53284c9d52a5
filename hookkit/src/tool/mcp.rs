//! Tools that access MCP servers, and the search for tools.
//!
//! To use the tools of a server, declare their types: see [`ToolInput`](super::ToolInput).

use std::path::PathBuf;

use super::tool;
use crate::Number;
use crate::wire::wire;

pub use hookkit_protocol::tool::mcp_name;

tool! { ListMcpResourcesTool = "ListMcpResourcesTool" => Vec<McpResource> }
tool! { ReadMcpResourceTool = "ReadMcpResourceTool" => ReadMcpResourceToolResponse }
tool! { ReadMcpResourceDirTool = "ReadMcpResourceDirTool" => ReadMcpResourceDirToolResponse }
tool! { RefreshMcpTools = "RefreshMcpTools" => Vec<RefreshedMcpServer> }
tool! { ToolSearch = "ToolSearch" => ToolSearchResponse }

wire! {
    /// Input of `ListMcpResourcesTool`, which lists the resources of MCP servers.
    pub struct ListMcpResourcesTool {
        /// Name of the server; all servers if absent.
        server: Option<String>,
    }

    /// A resource of an MCP server.
    pub struct McpResource with defaults {
        /// URI of the resource.
        uri: String,
        /// Name of the resource.
        name: String,
        /// Media type of the resource.
        mime_type: Option<String> = "mimeType",
        /// Description of the resource; absent in the listing of a folder.
        description: Option<String>,
        /// Name of the server; absent in the listing of a folder.
        server: Option<String>,
    }

    /// Input of `ReadMcpResourceTool`, which reads a resource of an MCP server.
    pub struct ReadMcpResourceTool {
        /// Name of the server.
        server: String,
        /// URI of the resource.
        uri: String,
    }

    /// Response of [`ReadMcpResourceTool`].
    pub struct ReadMcpResourceToolResponse with defaults {
        /// Contents of the resource.
        contents: Vec<McpResourceContent>,
        /// Error that prevented the read.
        error: Option<String>,
    }

    /// Contents of an MCP server's resource.
    pub struct McpResourceContent with defaults {
        /// URI of the resource.
        uri: String,
        /// Media type of the resource.
        mime_type: Option<String> = "mimeType",
        /// Content, if it is text.
        text: Option<String>,
        /// File with the saved content, if it is not text.
        blob_saved_to: Option<PathBuf> = "blobSavedTo",
    }

    /// Input of `ReadMcpResourceDirTool`, which lists a folder of an MCP server.
    pub struct ReadMcpResourceDirTool {
        /// Name of the server.
        server: String,
        /// URI of the folder.
        uri: String,
    }

    /// Response of [`ReadMcpResourceDirTool`].
    pub struct ReadMcpResourceDirToolResponse with defaults {
        /// Resources in the folder.
        resources: Vec<McpResource>,
        /// Error that prevented the read.
        error: Option<String>,
    }

    /// Input of `RefreshMcpTools`, which requests the tool lists of MCP servers again.
    pub struct RefreshMcpTools {
        /// Name of the server; all servers if absent.
        server: Option<String>,
    }

    /// An MCP server whose tool list was requested again.
    pub struct RefreshedMcpServer with defaults {
        /// Name of the server.
        server: String,
        /// Outcome of the request.
        status: McpRefresh,
        /// Number of the server's tools.
        tool_count: Option<u64> = "toolCount",
        /// Added tools.
        added?: Vec<String>,
        /// Removed tools.
        removed?: Vec<String>,
        /// Error that prevented the request.
        error: Option<String>,
    }

    /// Outcome of a request for an MCP server's tool list.
    pub enum McpRefresh {
        /// The server sent its tool list.
        Refreshed = "refreshed",
        /// The request failed.
        Error = "error",
        /// The server is not connected.
        NotConnected = "not_connected",
    }

    /// Input of `ToolSearch`, which finds deferred tools (not yet given to the model).
    pub struct ToolSearch {
        /// Words to find, or the names of tools: `select:TaskCreate,TaskUpdate`.
        query: String,
        /// Maximum number of tools returned.
        max_results: Option<Number>,
    }

    /// Response of [`ToolSearch`].
    pub struct ToolSearchResponse with defaults {
        /// Names of the tools found.
        matches: Vec<String>,
        /// Query of the search.
        query: String,
        /// Number of deferred tools.
        total_deferred_tools: u64,
        /// MCP servers that have not sent their tool lists yet.
        pending_mcp_servers?: Vec<String>,
        /// MCP servers that failed.
        failed_mcp_servers?: Vec<FailedMcpServer>,
    }

    /// An MCP server that failed.
    pub struct FailedMcpServer with defaults {
        /// Name of the server.
        name: String,
        /// Error code.
        error_code: Option<String> = "errorCode",
        /// Error message.
        error: Option<String>,
    }
}
