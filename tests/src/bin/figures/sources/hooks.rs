//! The hooks that are measured.

use hookkit::prelude::*;

/// Takes the path of a change, and answers.
#[hook(PostToolUse, matcher = "Edit|Write")]
pub fn path_only(call: PostToolUse<tool::FileChange>) -> Option<PostToolUseAnswer> {
    let is_rust = call.input.file_path.extension().is_some_and(|extension| extension == "rs");
    is_rust.then(|| PostToolUseAnswer::pass().with_context("remember to run the tests"))
}

/// The new content of a file, without the rest of a write.
#[derive(serde::Deserialize, ToolInput)]
#[tool("Write", response = tool::NotDecoded)]
pub struct Content {
    content: String,
}

/// Reads all of the content, and finds nothing.
#[hook(PostToolUse, matcher = "Write")]
pub fn content_only(call: PostToolUse<Content>) -> Option<PostToolUseAnswer> {
    let has_conflict = call.input.content.contains("<<<<<<< ");
    has_conflict.then(|| PostToolUseAnswer::block("resolve the conflict first"))
}

/// Denies a command; `sources/peers` has the same hook, written with SDKs.
#[hook(PreToolUse, matcher = "Bash")]
pub fn no_recursive_rm(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer {
    match call.input.command.contains("rm -rf") {
        true => PreToolUseAnswer::deny("delete single files instead"),
        false => PreToolUseAnswer::pass(),
    }
}

/// Is never meant for a change.
#[hook(PostToolUse, matcher = "Bash")]
pub fn miss(call: PostToolUse) -> PostToolUseAnswer {
    PostToolUseAnswer::pass().with_context(format!("that was {}", call.tool_name))
}

/// Panics.
#[hook(PostToolUse)]
pub fn panics() -> PostToolUseAnswer {
    panic!("aargh")
}
