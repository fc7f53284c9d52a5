//! The tools by which a session moves into a git worktree and out of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{is_false, or_default, tool};
use crate::open::{count, open_enum};

tool! { EnterWorktree = "EnterWorktree" => EnterWorktreeResponse }
tool! { ExitWorktree = "ExitWorktree" => ExitWorktreeResponse }

/// Makes a worktree, or takes one that is there, and goes on in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EnterWorktree {
    /// The name of a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder of one that is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
}

/// What [`EnterWorktree`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EnterWorktreeResponse {
    /// The worktree.
    pub worktree_path: PathBuf,
    /// Its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
    /// What the model is told.
    pub message: String,
}

/// Leaves the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExitWorktree {
    /// What becomes of it.
    pub action: WorktreeAction,
    /// Whether changes that are not committed may be lost with it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub discard_changes: bool,
}

open_enum! {
    /// What becomes of a worktree that the session leaves.
    pub enum WorktreeAction {
        /// It stays.
        Keep = "keep",
        /// It is removed.
        Remove = "remove",
    }
}

/// What [`ExitWorktree`] gives back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExitWorktreeResponse {
    /// What became of the worktree.
    pub action: WorktreeAction,
    /// Where the session was before it entered it.
    pub original_cwd: PathBuf,
    /// The worktree.
    pub worktree_path: PathBuf,
    /// Its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_branch: Option<String>,
    /// The tmux session that was in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux_session_name: Option<String>,
    /// How many files with changes were lost.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub discarded_files: Option<u64>,
    /// How many commits were lost.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub discarded_commits: Option<u64>,
    /// Where the session is now. Sent by client 2.1.330, which does not publish it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_cwd: Option<PathBuf>,
    /// Whether `original_cwd` is gone. Sent by client 2.1.330, which does not publish it.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "is_false")]
    pub original_cwd_missing: bool,
    /// What the model is told.
    pub message: String,
}
