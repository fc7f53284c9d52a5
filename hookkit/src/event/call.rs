//! The events of tool calls.

use std::borrow::Cow;

use super::TypedEvent;
use super::sealed::Sealed;
use crate::json::{Deserializer, PayloadProjection, Projection};
use crate::permission::PermissionUpdate;
use crate::tool::{Tool, ToolInput};
use crate::wire::wire;
use crate::{Error, FromInput, Json, Payload, open};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A tool is about to run: its input is complete, but its permissions are not checked yet.
///
/// Not raised for input that violates the tool's schema or that the tool rejects, or for files that the user attaches
/// with `@`. Shell commands in the text of a skill raise [`PreSkillShellCommand`](super::PreSkillShellCommand) instead;
/// a hook on that event can take this type, too.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Leaves pushes to the user.
/// #[hook(PreToolUse, matcher = "Bash")]
/// pub fn no_push(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
///     if call.input.command.starts_with("git push") {
///         PreToolUseAnswer::deny("pushing is left to the user")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
#[non_exhaustive]
pub struct PreToolUse<T = Json> {
    /// Current name of the tool, even if the matcher has an old name.
    pub tool_name: String,
    /// Input of the tool (`tool_input`) as the model wrote it, but with absolute file paths for Read, Write and Edit.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Id of the call, the same in its PostToolUse. Sent since client 2.0.44.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The server of an MCP tool. Sent since client 2.1.274. Always `None` if the type of the input is for built-in tools
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T> PreToolUse<T> {
    /// Creates a call for tests.
    pub fn new(tool_name: &str, input: T) -> Self {
        Self { tool_name: tool_name.to_owned(), input, tool_use_id: None, mcp_server: None }
    }
}

/// A tool ran and succeeded.
///
/// A failed call raises [`PostToolUseFailure`] instead; a denied call raises neither.
/// A hook cannot undo the tool's effects.
///
/// `R` is the type of the decoded response: the tool's own type, any type that implements `Deserialize`, or
/// [`tool::NotDecoded`](crate::tool::NotDecoded) if the hook does not read it.
/// Of a large payload, hookkit keeps only the members that `R` declares to serde. A handwritten `Deserialize` that
/// calls `deserialize_struct` must list each member that it reads.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Reminds the model of the tests after it writes a Rust file.
/// #[hook(PostToolUse)]
/// pub fn remind(call: PostToolUse<tool::Write, tool::NotDecoded>) -> Option<PostToolUseAnswer> {
///     let is_rust = call.input.file_path.extension().is_some_and(|extension| extension == "rs");
///     is_rust.then(|| PostToolUseAnswer::pass().with_context("run the tests"))
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Tool + DeserializeOwned, R: DeserializeOwned"))]
#[non_exhaustive]
pub struct PostToolUse<T: Tool = Json, R = <T as Tool>::Response> {
    /// Current name of the tool.
    pub tool_name: String,
    /// Input that the tool ran with (`tool_input`), after changes by hooks.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Structured output of the tool (`tool_response`), not the text that the model reads.
    #[serde(rename = "tool_response")]
    pub response: R,
    /// Id of the call, the same as in its PreToolUse. Sent since client 2.0.44.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Run time of the tool in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "open::count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. Always `None` if the type of the input is for built-in tools
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Tool, R> PostToolUse<T, R> {
    /// Creates a successful call for tests.
    pub fn new(tool_name: &str, input: T, response: R) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            response,
            tool_use_id: None,
            duration_ms: None,
            mcp_server: None,
        }
    }
}

/// A tool failed or was interrupted.
///
/// Raised instead of [`PostToolUse`]: for example when a Bash command exits with a status other than 0.
/// A hook cannot undo the failure.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Explains how to install a missing program.
/// #[hook(PostToolUseFailure)]
/// pub fn missing_program(call: PostToolUseFailure<tool::Bash>) -> Option<PostToolUseFailureAnswer> {
///     let is_missing = call.error.contains("command not found");
///     is_missing.then(|| PostToolUseFailureAnswer::pass().with_context("`make tools` installs the project's programs"))
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
#[non_exhaustive]
pub struct PostToolUseFailure<T = Json> {
    /// Current name of the tool.
    pub tool_name: String,
    /// Input that the tool ran with (`tool_input`), after changes by hooks.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Id of the call, the same as in its PreToolUse. Empty if another client sends none.
    pub tool_use_id: String,
    /// Error text that the model reads: for Bash the exit status and the command's output.
    pub error: String,
    /// `true` if the user interrupted the tool.
    #[serde(default, deserialize_with = "open::or_default")]
    pub is_interrupt: bool,
    /// Run time of the tool in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "open::count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. Always `None` if the type of the input is for built-in tools
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Default> PostToolUseFailure<T> {
    /// Creates a failed call for tests.
    pub fn new(tool_name: &str, input: T, error: &str) -> Self {
        Self { tool_name: tool_name.to_owned(), input, error: error.to_owned(), ..Self::default() }
    }
}

/// A tool call needs permission: a dialog is about to open, or without a user the call is about to be denied.
///
/// Raised after [`PreToolUse`] and the permission rules, if they do not decide.
/// The dialog may already be visible; the first answer counts, the user's or the hook's.
/// Not raised if a PreToolUse hook returns `ask` and there is no user to ask.
/// If the hook fails, the user decides; in print mode (`-p`) the client denies the call (client 2.1.330).
/// With `on_failure = block`, a failing hook denies it.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Allows the tests without a dialog.
/// #[hook(PermissionRequest, matcher = "Bash")]
/// pub fn allow_tests(request: PermissionRequest<tool::Bash>) -> PermissionRequestAnswer {
///     if request.input.command == "cargo test" {
///         PermissionRequestAnswer::allow()
///     } else {
///         PermissionRequestAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
#[non_exhaustive]
pub struct PermissionRequest<T = Json> {
    /// Current name of the tool.
    pub tool_name: String,
    /// Input that the tool would run with (`tool_input`).
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Permission updates that the dialog offers, to avoid asking again.
    #[serde(default, deserialize_with = "open::or_default", skip_serializing_if = "Vec::is_empty")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The server of an MCP tool. Sent since client 2.1.274. Always `None` if the type of the input is for built-in tools
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T> PermissionRequest<T> {
    /// Creates a request for tests.
    pub fn new(tool_name: &str, input: T) -> Self {
        Self { tool_name: tool_name.to_owned(), input, permission_suggestions: Vec::new(), mcp_server: None }
    }
}

/// Auto mode denied a tool call: its classifier rejected the call, or failed to decide.
///
/// A hook cannot undo the denial. Raised in auto mode only.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Lets the model retry a denied build.
/// #[hook(PermissionDenied)]
/// pub fn retry_builds(call: PermissionDenied<tool::Bash>) -> Option<PermissionDeniedAnswer> {
///     call.input.command.starts_with("cargo build").then(PermissionDeniedAnswer::retry)
/// }
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: DeserializeOwned"))]
#[non_exhaustive]
pub struct PermissionDenied<T = Json> {
    /// Current name of the tool.
    pub tool_name: String,
    /// Input of the denied call (`tool_input`).
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Id of the call, the same as in its PreToolUse. Empty if another client sends none.
    pub tool_use_id: String,
    /// The client's reason.
    pub reason: String,
    /// The server of an MCP tool. Sent since client 2.1.274. Always `None` if the type of the input is for built-in tools
    /// only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Default> PermissionDenied<T> {
    /// Creates a denied call for tests.
    pub fn new(tool_name: &str, input: T, reason: &str) -> Self {
        Self { tool_name: tool_name.to_owned(), input, reason: reason.to_owned(), ..Self::default() }
    }
}

wire! {
    /// All tool calls of one message of the model are done; the model has not read the results yet.
    ///
    /// Raised once for each batch, including a batch of one call.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Asks for a summary after many calls.
    /// #[hook(PostToolBatch)]
    /// pub fn sum_up(batch: PostToolBatch) -> Option<PostToolBatchAnswer> {
    ///     let is_large = batch.tool_calls.len() > 5;
    ///     is_large.then(|| PostToolBatchAnswer::pass().with_context("summarize your findings before you continue"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct PostToolBatch {
        /// The calls, in the model's order.
        tool_calls: Vec<BatchedCall>,
    }

    /// Creates a batch for tests.
    pub new PostToolBatch(tool_calls: Vec<BatchedCall>);

    /// A call of a [`PostToolBatch`].
    pub struct BatchedCall {
        /// Current name of the tool.
        tool_name: String,
        /// Input that the tool ran with (`tool_input`).
        input: Json = "tool_input",
        /// Id of the call, the same as in its PreToolUse.
        tool_use_id: String,
        /// Result that the model reads (`tool_response`): a string or a list of content blocks, not the structured output of
        /// [`PostToolUse`]. `None` if the call has no result.
        response: Option<Json> = "tool_response",
    }

    /// Creates a call for tests.
    pub new BatchedCall(tool_name: &str, input: Json);

    /// The MCP server of a tool.
    pub struct McpServer {
        /// Name as configured. The tool's name has replacements for characters other than letters, digits, `_` and `-`.
        name: String,
        /// Origin of the server's configuration.
        source: McpSource,
    }

    /// The origin of an MCP server's configuration.
    pub enum McpSource {
        /// The program that runs the client through its SDK.
        Sdk = "sdk",
        /// A plugin.
        Plugin = "plugin",
        /// The user, for all projects.
        User = "user",
        /// The project, for everyone who works on it.
        Project = "project",
        /// The user, for this project.
        Local = "local",
        /// The client's command line, or the session itself.
        Dynamic = "dynamic",
        /// Managed settings.
        Managed = "managed",
        /// The organization.
        Enterprise = "enterprise",
        /// The user's claude.ai account.
        ClaudeAi = "claudeai",
        /// A subagent's definition.
        Agent = "agent",
    }
}

/// Implements the decoding of an event that is generic over its tool. The tool's name, input and server are decoded for
/// every event; the given function reads each listed field from the member with its name.
///
/// Every hook on a tool call runs this code. A derive would take more instructions.
macro_rules! call_event {
    ($event:ident<$tool:ident: $bound:ident $(, $response:ident)?> { $($field:ident: $read:ident),* }) => {
        impl<$tool: $bound $(, $response: DeserializeOwned)?> Sealed for $event<$tool $(, $response)?> {}

        impl<$tool: $bound $(, $response: DeserializeOwned)?> TypedEvent for $event<$tool $(, $response)?> {
            type Event = $event;
        }

        impl<$tool: $bound $(, $response: DeserializeOwned)?> FromInput<$event> for $event<$tool $(, $response)?> {
            const MATCHER: Option<&'static str> = $tool::MATCHER;

            fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
                let tool_name = string(payload, "tool_name")?;
                Ok(Self {
                    input: payload.decode_member(INPUT, |json| $tool::from_call(&tool_name, json))?,
                    $(response: payload.decode_member(RESPONSE, |json| $response::deserialize(json))?,)?
                    $($field: $read(payload, stringify!($field))?,)*
                    mcp_server: if const { is_for_servers($tool::MATCHER) } { server(payload)? } else { None },
                    tool_name,
                })
            }

            fn projection(projection: &mut PayloadProjection) {
                // The tool's name is part of every projection.
                projection.add(Projection::Members(&[$(stringify!($field)),*]));
                projection.add_member(INPUT, $tool::projection());
                $(projection.add_member(RESPONSE, Projection::of::<$response>());)?
                if const { is_for_servers($tool::MATCHER) } {
                    projection.add_member(MCP_SERVER, Projection::All);
                }
            }
        }
    };
}

call_event! { PreToolUse<T: ToolInput> { tool_use_id: optional_string } }
call_event! { PostToolUse<T: Tool, R> { tool_use_id: optional_string, duration_ms: count } }
call_event! {
    PostToolUseFailure<T: ToolInput> {
        tool_use_id: or_default, error: string, is_interrupt: or_default, duration_ms: count
    }
}
call_event! { PermissionRequest<T: ToolInput> { permission_suggestions: or_default } }
call_event! { PermissionDenied<T: ToolInput> { tool_use_id: or_default, reason: string } }

pub(super) const INPUT: &str = "tool_input";
const RESPONSE: &str = "tool_response";
const MCP_SERVER: &str = "mcp_server";

#[inline(never)]
pub(super) fn string(payload: &Payload<'_>, member: &str) -> Result<String, Error> {
    Ok(payload.string(member)?.into_owned())
}

#[inline(never)]
pub(super) fn optional_string(payload: &Payload<'_>, member: &str) -> Result<Option<String>, Error> {
    Ok(payload.optional_string(member)?.map(Cow::into_owned))
}

fn or_default<T: DeserializeOwned + Default>(payload: &Payload<'_>, member: &str) -> Result<T, Error> {
    payload.decode_member(member, |json| open::or_default(json))
}

fn count(payload: &Payload<'_>, member: &str) -> Result<Option<u64>, Error> {
    Ok(payload.member(member).and_then(Deserializer::count))
}

/// Returns the tool's server. It is called only if the type of the input allows MCP tools; for other types it is not
/// linked.
#[inline(never)]
fn server(payload: &Payload<'_>) -> Result<Option<McpServer>, Error> {
    payload.optional(MCP_SERVER, |json| McpServer::deserialize(json))
}

/// Returns `true` if a type with this matcher can be used for MCP tools.
const fn is_for_servers(matcher: Option<&'static str>) -> bool {
    let Some(names) = matcher else { return true };
    let mut rest = names.as_bytes();
    while let [_, others @ ..] = rest {
        if matches!(rest, [b'm', b'c', b'p', b'_', b'_', ..]) {
            return true;
        }
        rest = others;
    }
    false
}
