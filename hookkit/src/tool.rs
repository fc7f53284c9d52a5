//! The client's tools: what they are given and what they give back.
//!
//! A tool's type is the type of its input, so that `PreToolUse<tool::Bash>` has a `tool::Bash` in its `input`.
//! A set ([`FileAccess`], [`FileChange`]) has what several tools have in common.
//! [`Json`] stands for any tool, undecoded.
//!
//! A unit test builds them by their `new`, or by `default()` and the fields that it needs.
//!
//! File paths are absolute: the client has resolved `~` and `..` in them (client 2.1.330).
//!
//! The types stay behind their module in the prelude, since `Read` and `Write` are also traits of the standard library.

use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Json;
use crate::json::{self, Deserializer, Wants};

/// The input of a tool, or what the inputs of several have in common.
///
/// A tool of an MCP server is a type of one's own:
///
/// ```
/// use hookkit::prelude::*;
///
/// #[derive(serde::Deserialize)]
/// pub struct CreateIssue {
///     title: String,
/// }
///
/// impl tool::ToolInput for CreateIssue {
///     const MATCHER: Option<&'static str> = Some("mcp__github__create_issue");
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
pub trait ToolInput: DeserializeOwned {
    /// Whose input it is, in the client's matcher language: the names of tools, separated by `|`. `None`: any tool's.
    ///
    /// A hook that declares no matcher has this one.
    const MATCHER: Option<&'static str>;

    #[doc(hidden)]
    fn from_json(json: Deserializer<'_, '_>) -> Result<Self, json::Error> {
        Self::deserialize(json)
    }

    #[doc(hidden)]
    fn wants() -> Wants {
        Wants::of::<Self>()
    }
}

/// A tool whose answer is known, too: what a [`PostToolUse`](crate::event::PostToolUse) can be typed by.
pub trait Tool: ToolInput {
    /// The tool's structured output (`tool_response`).
    type Response: DeserializeOwned;

    #[doc(hidden)]
    fn response_from_json(json: Deserializer<'_, '_>) -> Result<Self::Response, json::Error> {
        Self::Response::deserialize(json)
    }

    #[doc(hidden)]
    fn response_wants() -> Wants {
        Wants::of::<Self::Response>()
    }
}

// As the traits have it, but compiled here, once, and not in every crate of hooks.
macro_rules! tools {
    ($($tool:ty = $matcher:expr, $response:ty;)*) => {$(
        impl ToolInput for $tool {
            const MATCHER: Option<&'static str> = $matcher;

            #[inline(never)]
            fn from_json(json: Deserializer<'_, '_>) -> Result<Self, json::Error> {
                Self::deserialize(json)
            }

            #[inline(never)]
            fn wants() -> Wants {
                Wants::of::<Self>()
            }
        }

        impl Tool for $tool {
            type Response = $response;

            #[inline(never)]
            fn response_from_json(json: Deserializer<'_, '_>) -> Result<$response, json::Error> {
                <$response>::deserialize(json)
            }

            #[inline(never)]
            fn response_wants() -> Wants {
                Wants::of::<$response>()
            }
        }
    )*};
}

tools! {
    Json = None, Json;
    Bash = Some("Bash"), BashResponse;
    Read = Some("Read"), Json;
    Write = Some("Write"), WriteResponse;
    Edit = Some("Edit"), EditResponse;
    FileAccess = Some("Read|Write|Edit"), NotDecoded;
    FileChange = Some("Write|Edit"), NotDecoded;
}

/// Runs a shell command.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Bash {
    /// The command line.
    pub command: String,
    /// What the model says it does.
    #[serde(default)]
    pub description: Option<String>,
    /// Whether the model goes on without waiting for it.
    #[serde(default)]
    pub run_in_background: Option<bool>,
}

impl Bash {
    /// A command line, for a test.
    pub fn new(command: &str) -> Self {
        Self {
            command: command.to_owned(),
            ..Self::default()
        }
    }
}

/// What [`Bash`] gives back. The exit status is no field: a command that fails raises PostToolUseFailure.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct BashResponse {
    /// What the command printed.
    pub stdout: String,
    /// What it printed to stderr.
    pub stderr: String,
    /// Whether the user stopped it.
    pub interrupted: bool,
}

/// Reads a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Read {
    /// The file.
    pub file_path: PathBuf,
}

/// Writes a whole file.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Write {
    /// The file.
    pub file_path: PathBuf,
    /// What it will hold.
    pub content: String,
}

/// What [`Write`] gives back.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WriteResponse {
    /// `create` or `update`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file.
    pub file_path: PathBuf,
    /// What it holds now.
    pub content: String,
    /// What it held before, if it was there.
    #[serde(default)]
    pub original_file: Option<String>,
}

/// Replaces text in a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct Edit {
    /// The file.
    pub file_path: PathBuf,
    /// The text to find.
    pub old_string: String,
    /// What stands there afterwards.
    pub new_string: String,
    /// Whether every occurrence is replaced.
    #[serde(default)]
    pub replace_all: bool,
}

/// What [`Edit`] gives back.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EditResponse {
    /// The file.
    pub file_path: PathBuf,
    /// The text that was found.
    pub old_string: String,
    /// What stands there now.
    pub new_string: String,
    /// The whole file as it was before.
    #[serde(default)]
    pub original_file: Option<String>,
}

/// [`Read`], [`Write`] or [`Edit`]: a file is looked into or changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct FileAccess {
    /// The file.
    pub file_path: PathBuf,
}

/// [`Write`] or [`Edit`]: a file is changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[non_exhaustive]
pub struct FileChange {
    /// The file.
    pub file_path: PathBuf,
}

macro_rules! file_sets {
    ($($set:ident)*) => {$(
        impl $set {
            /// A call on this file, for a test.
            pub fn new(file_path: impl Into<PathBuf>) -> Self {
                Self { file_path: file_path.into() }
            }
        }
    )*};
}

file_sets! { FileAccess FileChange }

/// A value that nobody asked for: it takes any, and keeps nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NotDecoded;

impl<'de> Deserialize<'de> for NotDecoded {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(Self)
    }
}
