//! The client's tools: the types of their inputs and responses.
//!
//! A tool's type is the type of its input: `PreToolUse<tool::Bash>` has a `tool::Bash` in its `input`.
//! A set ([`FileAccess`], [`FileChange`]) has the members that several tools have in common.
//! [`Json`] is the input of any tool, not decoded.
//!
//! The type of a tool's response has the tool's name with the suffix `Response`; [`Tool::Response`] links the two.
//! If the client does not publish a tool's shape, use [`Json`] or a type of your own.
//!
//! In a unit test, create an input with its `new`, or with `default()` and the fields that the test needs.
//!
//! The shapes are from client 2.1.330. Other versions omit some members and add others: an optional field may be absent
//! or `null`, unknown members and words are not errors, and a value in an unknown form is kept as [`Json`]. A type that
//! is serialized again omits the unknown members; `with_updated_input` and `with_updated_tool_output` keep them, at
//! every depth.
//!
//! A number that the client accepts exactly as the model wrote it is a [`Number`](crate::Number): a timeout can be
//! fractional. A count from the client is a `u64`. An optional count is truncated to an integer, and is `None` if it is
//! negative or too large.
//!
//! Paths in `file_path` and `notebook_path` are absolute: the client resolves `~` and `..` in them (client 2.1.330).
//!
//! The prelude exports this module, not its types, because `Read` and `Write` are also traits of the standard library.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Json;
use crate::json::{self, Deserializer, Projection};

mod agent;
mod artifact;
mod cron;
mod edit;
mod files;
mod mcp;
mod onboarding;
mod paths;
mod plan;
mod project;
mod review;
mod search;
mod shell;
mod task;
mod union;
mod user;
mod web;
mod worktree;

pub use agent::*;
pub use artifact::*;
pub use cron::*;
pub use edit::*;
pub use files::*;
pub use mcp::*;
pub use onboarding::*;
pub use paths::*;
pub use plan::*;
pub use project::*;
pub use review::*;
pub use search::*;
pub use shell::*;
pub use task::*;
pub use user::*;
pub use web::*;
pub use worktree::*;

/// The input of a tool, or the common members of several tools' inputs.
///
/// Of a large payload, only the members that the type declares to serde are kept. A derived `Deserialize` declares its
/// fields.
/// A manual implementation that calls `deserialize_struct` has to list each member that it reads; one that requests a
/// map gets all members.
///
/// Derive it. `#[tool(…)]` names the tool of a struct: a tool of an MCP server,
///
/// ```
/// use hookkit::prelude::*;
///
/// #[derive(serde::Deserialize, ToolInput)]
/// #[tool(server = "github", name = "create_issue")]
/// pub struct CreateIssue {
///     title: String,
/// }
///
/// /// Requires a title for issues.
/// #[hook(PreToolUse)]
/// pub fn titled(call: PreToolUse<CreateIssue>) -> PreToolUseAnswer {
///     if call.input.title.is_empty() {
///         PreToolUseAnswer::deny("give the issue a title")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
///
/// or any other tools, as a list of names: `#[tool("Bash|PowerShell")]`.
/// A set of tools with different inputs is an enum:
///
/// ```
/// use hookkit::prelude::*;
///
/// #[derive(ToolInput)]
/// pub enum Incoming {
///     Write(tool::Write),
///     Edit(tool::Edit),
/// }
///
/// /// Keeps conflict markers out of files.
/// #[hook(PreToolUse)]
/// pub fn no_conflicts(call: PreToolUse<Incoming>) -> PreToolUseAnswer {
///     let text = match &call.input {
///         Incoming::Write(write) => &write.content,
///         Incoming::Edit(edit) => &edit.new_string,
///     };
///     if text.contains("<<<<<<<") {
///         PreToolUseAnswer::deny("resolve the conflict first")
///     } else {
///         PreToolUseAnswer::pass()
///     }
/// }
/// # fn main() {}
/// ```
///
/// Each variant has its own tools, listed by name. Tools of MCP servers can be among them. A variant for all tools of a
/// server is not possible: its matcher would be a regular expression, which cannot be joined with names. Such a server
/// needs its own hook.
///
/// To construct an event with the type in a test, or to replace the input, derive `serde::Serialize`, too; for a set
/// with `#[serde(untagged)]`.
///
/// Further options of the derive:
///
/// - `plugin = "…"`, if the server comes with a plugin;
/// - no `name`, for all tools of a server;
/// - `response = Type` sets [`Tool::Response`], which is [`Json`] by default;
/// - `crate = PATH`, if hookkit was renamed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of a tool",
    label = "not the input of a tool",
    note = "name its tool: \
            `#[derive(serde::Deserialize, ToolInput)] #[tool(server = \"github\", name = \"create_issue\")]`"
)]
pub trait ToolInput: Sized {
    /// The tools with this input, in the client's matcher language: names separated by `|`. `None` means any tool.
    ///
    /// This is the matcher of a hook that declares none.
    const MATCHER: Option<&'static str>;

    /// Decodes the input of this tool, which is one of the tools in `MATCHER`.
    #[doc(hidden)]
    fn from_call(tool_name: &str, input: Deserializer<'_, '_>) -> Result<Self, json::Error>;

    #[doc(hidden)]
    fn projection() -> Projection;
}

/// A tool whose response also has a type, so that it can be the parameter of a
/// [`PostToolUse`](crate::event::PostToolUse).
///
/// It is derived together with [`ToolInput`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of a tool",
    label = "not the input of a tool",
    note = "name its tool: \
            `#[derive(serde::Deserialize, ToolInput)] #[tool(server = \"github\", name = \"create_issue\")]`"
)]
pub trait Tool: ToolInput {
    /// The tool's structured output (`tool_response`).
    type Response: DeserializeOwned;
}

/// Declares the tool of an input type: the client's name of the tool, and the type of its response.
///
/// The decoder is compiled in each crate that uses it. With `compiled here`, for tools that most hooks use, it is
/// compiled once, in this crate.
macro_rules! tool {
    ($tool:ty = $name:literal => $response:ty) => {
        tool! { @ $tool = Some($name) => $response, #[inline] }
    };
    ($tool:ty = $name:literal => $response:ty, compiled here) => {
        tool! { @ $tool = Some($name) => $response, #[inline(never)] }
    };
    (@ $tool:ty = $matcher:expr => $response:ty, #[$inline:meta]) => {
        #[diagnostic::do_not_recommend]
        impl $crate::tool::ToolInput for $tool {
            const MATCHER: Option<&'static str> = $matcher;

            #[$inline]
            fn from_call(_: &str, input: $crate::json::Deserializer<'_, '_>) -> Result<Self, $crate::json::Error> {
                serde::Deserialize::deserialize(input)
            }

            #[$inline]
            fn projection() -> $crate::json::Projection {
                $crate::json::Projection::of::<Self>()
            }
        }

        impl $crate::tool::Tool for $tool {
            type Response = $response;
        }
    };
}

use tool;
pub(crate) use union::open_union;

tool! { @ Json = None => Json, #[inline(never)] }

/// A value that is not decoded: any JSON is accepted and discarded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotDecoded;

impl<'de> Deserialize<'de> for NotDecoded {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_decoded_is_not_kept() {
        assert!(matches!(Projection::of::<NotDecoded>(), Projection::Nothing));
        assert!(matches!(Projection::of::<Option<NotDecoded>>(), Projection::All));
    }
}
