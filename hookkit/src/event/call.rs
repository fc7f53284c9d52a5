//! The events of tool calls.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::TakesContext;
use crate::json::{PayloadWants, Wants};
use crate::open::{count, or_default};
use crate::permission::PermissionUpdate;
use crate::tool::{Tool, ToolInput};
use crate::wire::wire;
use crate::{Error, FromInput, Json, Payload};

/// Declares an event of the facts table that is typed by the call's tool.
macro_rules! call_event {
    ($event:ident = $facts:ident, [$($parameters:tt)*] $typed:ty) => {
        impl<$($parameters)*> crate::event::sealed::Sealed for $typed {}

        #[diagnostic::do_not_recommend]
        impl crate::event::MayPass for $event {}

        #[diagnostic::do_not_recommend]
        impl crate::event::TakesTerminalSequence for $event {}

        impl crate::event::Event for $event {
            const FACTS: &'static hookkit_protocol::event::Event = &hookkit_protocol::event::$facts;
        }

        impl<$($parameters)*> crate::event::TypedEvent for $typed {
            type Event = $event;
        }
    };
}

call_event! { PreToolUse = PRE_TOOL_USE, [T: ToolInput] PreToolUse<T> }
call_event! { PostToolUse = POST_TOOL_USE, [T: Tool, R: DeserializeOwned] PostToolUse<T, R> }
call_event! { PostToolUseFailure = POST_TOOL_USE_FAILURE, [T: ToolInput] PostToolUseFailure<T> }
call_event! { PermissionRequest = PERMISSION_REQUEST, [T: ToolInput] PermissionRequest<T> }
call_event! { PermissionDenied = PERMISSION_DENIED, [T: ToolInput] PermissionDenied<T> }

#[diagnostic::do_not_recommend]
impl TakesContext for PreToolUse {}
#[diagnostic::do_not_recommend]
impl TakesContext for PostToolUse {}
#[diagnostic::do_not_recommend]
impl TakesContext for PostToolUseFailure {}
#[diagnostic::do_not_recommend]
impl TakesContext for PostToolBatch {}

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
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input stands for built-in
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

impl<T: ToolInput> FromInput<PreToolUse> for PreToolUse<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, tool_use_id } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            tool_use_id,
            mcp_server: Call::server::<T>(payload)?,
            tool_name,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(const { Call::wants(T::MATCHER) });
        wants.add_member(INPUT, T::wants());
    }
}

/// A tool ran and succeeded.
///
/// A call that fails raises [`PostToolUseFailure`] instead; one that permissions stopped raises neither.
/// Nothing that the tool did can be undone.
///
/// `R` is what the response is decoded into: the tool's own type, [`tool::NotDecoded`](crate::tool::NotDecoded) where it
/// is not needed, or any type that serde can decode.
/// Of a large payload only the members are kept that it names to serde: a `Deserialize` that is written by hand and calls
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
    /// What the tool gave back (`tool_response`): its structured output, not the text that the model reads.
    #[serde(rename = "tool_response")]
    pub response: R,
    /// Ties this call to its PreToolUse. Sent since client 2.0.43.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// How long the tool ran, in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input stands for built-in
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

impl<T: Tool, R: DeserializeOwned> FromInput<PostToolUse> for PostToolUse<T, R> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, tool_use_id } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            response: payload.decode_member(RESPONSE, |json| R::deserialize(json))?,
            tool_use_id,
            duration_ms: Call::duration(payload),
            mcp_server: Call::server::<T>(payload)?,
            tool_name,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(const { Call::wants(T::MATCHER) });
        wants.add_member(INPUT, T::wants());
        wants.add_member(RESPONSE, Wants::of::<R>());
    }
}

/// A tool failed, or was interrupted.
///
/// Raised instead of [`PostToolUse`], not beside it: a command of Bash that ends with another status than 0 is here.
/// The failure stands, whatever a hook says.
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
    /// What the model reads: for Bash the exit status and what the command printed.
    pub error: String,
    /// Whether the user stopped it.
    #[serde(default, deserialize_with = "or_default")]
    pub is_interrupt: bool,
    /// How long the tool ran, in milliseconds, without prompts and hooks. Sent since client 2.1.119.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input stands for built-in
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

impl<T: ToolInput> FromInput<PostToolUseFailure> for PostToolUseFailure<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, .. } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            tool_use_id: payload.string(TOOL_USE_ID)?.into_owned(),
            error: payload.string(ERROR)?.into_owned(),
            is_interrupt: payload.decode_member(IS_INTERRUPT, |json| or_default(json))?,
            duration_ms: Call::duration(payload),
            mcp_server: Call::server::<T>(payload)?,
            tool_name,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(const { Call::wants(T::MATCHER) });
        wants.add(Wants::Members(&[ERROR, IS_INTERRUPT]));
        wants.add_member(INPUT, T::wants());
    }
}

/// Somebody has to allow a tool call: the dialog is about to open, or nobody is there and the call would be denied.
///
/// Raised after [`PreToolUse`] and the permission rules, for what they leave open.
/// The dialog may already be visible, and the first answer counts: the user's or the hook's.
/// Not raised where a PreToolUse hook says `ask` and nobody can be asked.
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
    /// What the dialog offers so that it need not ask again.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub permission_suggestions: Vec<PermissionUpdate>,
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input stands for built-in
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

impl<T: ToolInput> FromInput<PermissionRequest> for PermissionRequest<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, .. } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            permission_suggestions: payload.decode_member(SUGGESTIONS, |json| or_default(json))?,
            mcp_server: Call::server::<T>(payload)?,
            tool_name,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(const { Call::wants(T::MATCHER) });
        wants.add(Wants::Members(&[SUGGESTIONS]));
        wants.add_member(INPUT, T::wants());
    }
}

/// Auto mode refused a tool call: its classifier said no, or gave no verdict.
///
/// The refusal stands. Raised in auto mode only.
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
    /// The server of an MCP tool. Sent since client 2.1.274. `None` also where the type of the input stands for built-in
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

impl<T: ToolInput> FromInput<PermissionDenied> for PermissionDenied<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn from_input(payload: &Payload<'_>) -> Result<Self, Error> {
        let Call { tool_name, .. } = Call::of(payload)?;
        Ok(Self {
            input: payload.decode_member(INPUT, |json| T::from_call(&tool_name, json))?,
            tool_use_id: payload.string(TOOL_USE_ID)?.into_owned(),
            reason: payload.string(REASON)?.into_owned(),
            mcp_server: Call::server::<T>(payload)?,
            tool_name,
        })
    }

    fn wants(wants: &mut PayloadWants) {
        wants.add(const { Call::wants(T::MATCHER) });
        wants.add(Wants::Members(&[REASON]));
        wants.add_member(INPUT, T::wants());
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
}

super::event! { PostToolBatch = POST_TOOL_BATCH }

wire! {
    /// A call of a [`PostToolBatch`].
    pub struct BatchedCall {
        /// The tool by its current name.
        tool_name: String,
        /// The input that ran (`tool_input`).
        input: Json = "tool_input",
        /// Ties the call to its PreToolUse.
        tool_use_id: String,
        /// What the model reads (`tool_response`): a string or a list of content blocks, not the structured output of
        /// [`PostToolUse`]. Absent where the call has no result.
        response: Option<Json> = "tool_response",
    }

    /// A call, for a test.
    pub new BatchedCall(tool_name: &str, input: Json);
}

wire! {
    /// The server that a tool belongs to.
    pub struct McpServer {
        /// Its name as it was configured; in the tool's name other characters than letters, digits, `_` and `-` are replaced.
        name: String,
        /// Who configured it.
        source: McpSource,
    }

    /// Who configured an MCP server.
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

const TOOL_NAME: &str = "tool_name";
const INPUT: &str = "tool_input";
const RESPONSE: &str = "tool_response";
const TOOL_USE_ID: &str = "tool_use_id";
const DURATION: &str = "duration_ms";
const MCP_SERVER: &str = "mcp_server";
const ERROR: &str = "error";
const IS_INTERRUPT: &str = "is_interrupt";
const SUGGESTIONS: &str = "permission_suggestions";
const REASON: &str = "reason";

/// What the events of a tool's call have in common, apart from what depends on the tool.
///
/// Every hook on a call reads it: it is not left to a derive, which takes more instructions.
struct Call {
    tool_name: String,
    tool_use_id: Option<String>,
}

impl Call {
    #[inline(never)]
    fn of(payload: &Payload<'_>) -> Result<Self, Error> {
        Ok(Self {
            tool_name: payload.string(TOOL_NAME)?.into_owned(),
            tool_use_id: payload.optional_string(TOOL_USE_ID)?.map(Cow::into_owned),
        })
    }

    /// The tool's server, looked for where the type of its input can be that of one. Elsewhere not even the code for it is
    /// linked.
    ///
    /// The tool's name does not tell: it has no `mcp__` where the client runs with `CLAUDE_AGENT_SDK_MCP_NO_PREFIX`.
    #[inline]
    fn server<T: ToolInput>(payload: &Payload<'_>) -> Result<Option<McpServer>, Error> {
        if const { is_for_servers(T::MATCHER) } {
            Self::any_server(payload)
        } else {
            Ok(None)
        }
    }

    #[inline(never)]
    fn any_server(payload: &Payload<'_>) -> Result<Option<McpServer>, Error> {
        payload.optional(MCP_SERVER, |json| McpServer::deserialize(json))
    }

    fn duration(payload: &Payload<'_>) -> Option<u64> {
        payload.member(DURATION)?.count()
    }

    /// What is wanted beside the tool's name, which every hook on a call wants, where the tool's type has this matcher.
    const fn wants(matcher: Option<&'static str>) -> Wants {
        match is_for_servers(matcher) {
            true => Wants::Members(&[TOOL_USE_ID, DURATION, MCP_SERVER]),
            false => Wants::Members(&[TOOL_USE_ID, DURATION]),
        }
    }
}

/// Whether a type with this matcher is for tools of servers, too.
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
