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

/// A tool is about to run: its input is complete, its permissions are not yet checked.
///
/// The client does not raise it for input that breaks the tool's schema or that the tool itself rejects, nor for files
/// that the user attaches with `@`.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps pushes for the user.
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
    /// The tool by its current name; old names in a matcher arrive as the current one.
    pub tool_name: String,
    /// The tool's input (`tool_input`): what the model wrote, with the file paths of Read, Write and Edit made absolute.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Ties this call to its PostToolUse. Sent since client 2.0.43.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input means built-in
    /// tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T> PreToolUse<T> {
    /// A call, for a test.
    pub fn new(tool_name: &str, input: T) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            tool_use_id: None,
            mcp_server: None,
        }
    }
}

/// A tool ran and succeeded.
///
/// A call that fails raises [`PostToolUseFailure`] instead; one that permissions stopped raises neither.
/// Nothing that the tool did can be undone.
///
/// `R` is what the response is decoded into: the tool's own type, [`tool::NotDecoded`](crate::tool::NotDecoded) where it
/// is not needed, or any type that serde can decode.
/// Of a large payload only the members are kept that it names to serde: a handwritten `Deserialize` that calls
/// `deserialize_struct` has to list each member that it reads.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Reminds of the tests after a file was written, whatever the file held before.
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
    /// The tool by its current name.
    pub tool_name: String,
    /// The input that ran (`tool_input`), after whatever hooks changed in it.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Result of the tool (`tool_response`): its structured output, not the text that the model reads.
    #[serde(rename = "tool_response")]
    pub response: R,
    /// Ties this call to its PreToolUse. Sent since client 2.0.43.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Run time of the tool in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "open::count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input means built-in
    /// tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Tool, R> PostToolUse<T, R> {
    /// A call that succeeded, for a test.
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

/// A tool failed, or was interrupted.
///
/// Raised instead of [`PostToolUse`], not next to it: a command of Bash that ends with another status than 0 is here.
/// No answer of a hook undoes the failure.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Says where a missing program comes from.
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
    /// The tool by its current name.
    pub tool_name: String,
    /// The input that ran (`tool_input`), after whatever hooks changed in it.
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Ties this call to its PreToolUse.
    pub tool_use_id: String,
    /// Text that the model reads: for Bash the exit status and the command's output.
    pub error: String,
    /// `true` if the user stopped it.
    #[serde(default, deserialize_with = "open::or_default")]
    pub is_interrupt: bool,
    /// Run time of the tool in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "open::count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input means built-in
    /// tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Default> PostToolUseFailure<T> {
    /// A call that failed, for a test.
    pub fn new(tool_name: &str, input: T, error: &str) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            error: error.to_owned(),
            ..Self::default()
        }
    }
}

/// A tool call needs permission: the dialog is about to open, or, where the user cannot be asked, the call would be denied.
///
/// Raised after [`PreToolUse`] and the permission rules, for what they leave open.
/// The dialog may already be visible, and the first answer counts: the user's or the hook's.
/// Not raised where a PreToolUse hook says `ask` and the user cannot be asked.
/// A hook that fails leaves the question to the user; in print mode (`-p`) the client then denies the call (client 2.1.330).
/// With `on_failure = block` the hook denies it.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Lets the tests run without a question.
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
    /// The tool by its current name.
    pub tool_name: String,
    /// The input that is to run (`tool_input`).
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Rules that the dialog offers to add, so that it need not ask again.
    #[serde(
        default,
        deserialize_with = "open::or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input means built-in
    /// tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T> PermissionRequest<T> {
    /// A request, for a test.
    pub fn new(tool_name: &str, input: T) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            permission_suggestions: Vec::new(),
            mcp_server: None,
        }
    }
}

/// Auto mode refused a tool call: its classifier said no, or gave no verdict.
///
/// No answer of a hook undoes the denial. Raised in auto mode only.
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Has builds tried once more.
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
    /// The tool by its current name.
    pub tool_name: String,
    /// The input that did not run (`tool_input`).
    #[serde(rename = "tool_input")]
    pub input: T,
    /// Ties this call to its PreToolUse.
    pub tool_use_id: String,
    /// Why, in the client's words.
    pub reason: String,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input means built-in
    /// tools alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<McpServer>,
}

impl<T: Default> PermissionDenied<T> {
    /// A refused call, for a test.
    pub fn new(tool_name: &str, input: T, reason: &str) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            input,
            reason: reason.to_owned(),
            ..Self::default()
        }
    }
}

wire! {
    /// Every tool call of one message of the model is done; the model has not read the results yet.
    ///
    /// Raised once a batch, also for a batch of one call.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Has the results of many calls summed up.
    /// #[hook(PostToolBatch)]
    /// pub fn sum_up(batch: PostToolBatch) -> Option<PostToolBatchAnswer> {
    ///     let is_large = batch.tool_calls.len() > 5;
    ///     is_large.then(|| PostToolBatchAnswer::pass().with_context("sum up what you have found before you go on"))
    /// }
    /// # fn main() {}
    /// ```
    pub struct PostToolBatch {
        /// The calls, in the model's order.
        tool_calls: Vec<BatchedCall>,
    }

    /// A batch, for a test.
    pub new PostToolBatch(tool_calls: Vec<BatchedCall>);

    /// A call of a [`PostToolBatch`].
    pub struct BatchedCall {
        /// The tool by its current name.
        tool_name: String,
        /// The input that ran (`tool_input`).
        input: Json = "tool_input",
        /// Ties the call to its PreToolUse.
        tool_use_id: String,
        /// Text that the model reads (`tool_response`): a string or a list of content blocks, not the structured output of
        /// [`PostToolUse`]. Absent where the call has no result.
        response: Option<Json> = "tool_response",
    }

    /// A call, for a test.
    pub new BatchedCall(tool_name: &str, input: Json);

    /// The server that a tool belongs to.
    pub struct McpServer {
        /// Its name as it was configured; in the tool's name other characters than letters, digits, `_` and `-` are replaced.
        name: String,
        /// Origin of the server's configuration.
        source: McpSource,
    }

    /// An origin of an MCP server's configuration.
    pub enum McpSource {
        /// The program that runs the client by its SDK.
        Sdk = "sdk",
        /// A plugin.
        Plugin = "plugin",
        /// The user, for all projects.
        User = "user",
        /// The project, for all who work on it.
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

/// Implements the decoding of an event that is typed by its tool. Of the fields that it has besides the tool's name, input
/// and server, each is read by a function from the member of its name.
///
/// Every hook on a call reads them: it is not left to a derive, which takes more instructions.
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
                // Every hook on a call wants the tool's name, too.
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
        tool_use_id: string, error: string, is_interrupt: or_default, duration_ms: count
    }
}
call_event! { PermissionRequest<T: ToolInput> { permission_suggestions: or_default } }
call_event! { PermissionDenied<T: ToolInput> { tool_use_id: string, reason: string } }

const INPUT: &str = "tool_input";
const RESPONSE: &str = "tool_response";
const MCP_SERVER: &str = "mcp_server";

#[inline(never)]
fn string(payload: &Payload<'_>, member: &str) -> Result<String, Error> {
    Ok(payload.string(member)?.into_owned())
}

#[inline(never)]
fn optional_string(payload: &Payload<'_>, member: &str) -> Result<Option<String>, Error> {
    Ok(payload.optional_string(member)?.map(Cow::into_owned))
}

fn or_default<T: DeserializeOwned + Default>(payload: &Payload<'_>, member: &str) -> Result<T, Error> {
    payload.decode_member(member, |json| open::or_default(json))
}

fn count(payload: &Payload<'_>, member: &str) -> Result<Option<u64>, Error> {
    Ok(payload.member(member).and_then(Deserializer::count))
}

/// Returns the tool's server. It is looked for where the type of the input can be that of one; elsewhere not even the code
/// for it is linked.
///
/// The tool's name does not tell: it has no `mcp__` where the client runs with `CLAUDE_AGENT_SDK_MCP_NO_PREFIX`.
#[inline(never)]
fn server(payload: &Payload<'_>) -> Result<Option<McpServer>, Error> {
    payload.optional(MCP_SERVER, |json| McpServer::deserialize(json))
}

/// Returns `true` if a type with this matcher is for tools of servers, too.
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
