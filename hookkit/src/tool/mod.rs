//! The client's tools: what they are given and what they give back.
//!
//! A tool's type is the type of its input, so that `PreToolUse<tool::Bash>` has a `tool::Bash` in its `input`.
//! A set ([`FileAccess`], [`FileChange`]) has what several tools have in common.
//! [`Json`] stands for any tool, undecoded.
//!
//! What the tool gives back has its name with `Response` behind it; [`Tool::Response`] ties the two together.
//! A tool that the client does not publish a shape for is taken as [`Json`], or as a type of one's own.
//!
//! A unit test builds them by their `new`, or by `default()` and the fields that it needs.
//!
//! The shapes are those of client 2.1.330.
//! Other versions leave fields away or add some: what is optional here may be absent or `null`, fields and words that
//! are not named here are no error, and a form that is not known is kept as [`Json`].
//! What is written again from a type leaves such fields away; `with_updated_input` and `with_updated_tool_output` keep them, at
//! every depth.
//!
//! A number that the client takes as the model wrote it is a [`Number`](crate::Number): a timeout can have a fraction.
//! What the client counts is a `u64`. Where such a count may be absent, only what is whole of it is taken, and one that is
//! below zero or too large is taken for absent.
//!
//! Paths in `file_path` and `notebook_path` are absolute: the client has resolved `~` and `..` in them (client 2.1.330).
//!
//! The types stay behind their module in the prelude, since `Read` and `Write` are also traits of the standard library.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Json;
use crate::json::{self, Deserializer, Wants};

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

/// The input of a tool, or what the inputs of several have in common.
///
/// Of a large payload only those members are kept that the type names to serde. A derived `Deserialize` names its fields, and
/// one that asks for a map gets all; one that is written by hand and calls `deserialize_struct` has to list each member that
/// it reads.
///
/// It is derived. `#[tool(…)]` says whose input a struct is: a tool of an MCP server's,
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
/// /// Wants issues to have a title.
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
/// or, by the names of a matcher, any others': `#[tool("Bash|PowerShell")]`.
/// A set of tools that have different inputs is an enum:
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
/// /// Keeps notes of conflicts out of files.
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
/// What the derive takes beside: `plugin = "…"`, where the server comes with a plugin; no `name`, for all tools of a
/// server; `response = Type`, for [`Tool::Response`], which is else [`Json`]; `crate = PATH`, where hookkit was renamed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of a tool",
    label = "not the input of a tool",
    note = "say whose it is: `#[derive(serde::Deserialize, ToolInput)] #[tool(server = \"github\", name = \"create_issue\")]`"
)]
pub trait ToolInput: Sized {
    /// Whose input it is, in the client's matcher language: the names of tools, separated by `|`. `None`: any tool's.
    ///
    /// A hook that declares no matcher has this one.
    const MATCHER: Option<&'static str>;

    /// The input of this tool, one of those that the matcher stands for.
    #[doc(hidden)]
    fn from_call(tool_name: &str, input: Deserializer<'_, '_>) -> Result<Self, json::Error>;

    #[doc(hidden)]
    fn wants() -> Wants;
}

/// A tool whose answer is known, too: what a [`PostToolUse`](crate::event::PostToolUse) can be typed by.
///
/// It is derived together with [`ToolInput`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of a tool",
    label = "not the input of a tool",
    note = "say whose it is: `#[derive(serde::Deserialize, ToolInput)] #[tool(server = \"github\", name = \"create_issue\")]`"
)]
pub trait Tool: ToolInput {
    /// The tool's structured output (`tool_response`).
    type Response: DeserializeOwned;
}

/// Says whose input a type is, by the client's name of the tool, and what that tool gives back.
///
/// Its decoder is compiled in each crate that uses it; with `compiled here` once, in this crate, for what most hooks take.
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
            fn wants() -> $crate::json::Wants {
                $crate::json::Wants::of::<Self>()
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

/// A value that nobody asked for: it takes any, and keeps nothing.
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
    fn what_is_not_decoded_is_not_kept() {
        assert!(matches!(Wants::of::<NotDecoded>(), Wants::Nothing));
        assert!(matches!(Wants::of::<Option<NotDecoded>>(), Wants::All));
    }
}
