//! Which files are not to be changed.

use std::path::PathBuf;

use hookkit::prelude::*;

use self::list::Protected;

mod list;

/// Keeps files from being changed that somebody else writes: lock files, git's own, and what the project lists.
///
/// The project's list is `.claude/protected`, one pattern a line, in the dialect of `.gitignore`:
///
/// ```text
/// # What was released stays as it is.
/// /migrations/
/// # Generated: change `api/schema.proto`.
/// *.pb.go
/// # Here the model may mend this one.
/// !Cargo.lock
/// ```
///
/// Protected without any list are
///
/// - `.git`, which its own commands change;
/// - lock files, which package managers write: `Cargo.lock`, `package-lock.json`, `yarn.lock`, `pnpm-lock.yaml`,
///   `poetry.lock`, `uv.lock`, `go.sum`, `Gemfile.lock`, `composer.lock` and the like;
/// - `.claude/protected` itself, and the installed hooks in `.claude/hookkit`.
///
/// A `!` takes out again what an earlier line protects, all but the last two.
/// As with git, nothing can be taken out of a folder that is protected; `/migrations/*` protects what is in it one by one.
/// A workspace that protects the same files in all its projects has their patterns in the variable `PROTECTED_FILES`,
/// a line each (`env` in the workspace's Cargo.toml); the project's list comes after it.
///
/// A file is protected by each name that it has: a link by its own and by those that it leads to.
/// Letters are compared without their case.
/// Outside the project only `.git` and lock files are protected.
///
/// The client's settings are not on the list: the client itself asks the user before it changes these (2.1.330).
/// Files of secrets are `protect-secrets`' business.
///
/// It stays silent on every other file, and on tools that only read.
///
/// It cannot see what shell commands and the tools of MCP servers change, nor hard links.
///
/// # Errors
///
/// When a list cannot be read, when a line of it can never match, and when it cannot be told where the file's name leads:
/// the change is refused.
#[hook(PreToolUse, timeout = 5)]
pub fn protect_files(
    call: PreToolUse<FileChange>,
    context: Context,
    environment: Environment,
) -> Result<PreToolUseAnswer, Error> {
    let protected = Protected::of(&context, environment)?;
    let path = context.path(&call.input.path)?;
    Ok(match protected.reason(&path) {
        Some(reason) => PreToolUseAnswer::deny(reason),
        None => PreToolUseAnswer::pass(),
    })
}

/// A file is changed, by whichever of the client's tools.
#[derive(Debug, Clone, serde::Deserialize, ToolInput)]
#[tool("Edit|Write|NotebookEdit")]
pub struct FileChange {
    #[serde(alias = "file_path", alias = "notebook_path")]
    path: PathBuf,
}

#[cfg(test)]
mod tests;
