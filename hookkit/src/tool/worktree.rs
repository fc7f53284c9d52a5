//! Tools that move a session into a git worktree and out of it.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;

tool! { EnterWorktree = "EnterWorktree" => EnterWorktreeResponse }
tool! { ExitWorktree = "ExitWorktree" => ExitWorktreeResponse }

wire! {
    /// Input of `EnterWorktree`, which moves the session into a new or an existing worktree.
    pub struct EnterWorktree {
        /// Name of the new worktree.
        name: Option<String>,
        /// Path of the existing worktree.
        path: Option<PathBuf>,
    }

    /// Response of [`EnterWorktree`].
    pub struct EnterWorktreeResponse {
        /// Path of the worktree.
        worktree_path: PathBuf = "worktreePath",
        /// Branch of the worktree.
        worktree_branch: Option<String> = "worktreeBranch",
        /// Message to the model.
        message: String,
    }

    /// Input of `ExitWorktree`, which moves the session out of its worktree.
    pub struct ExitWorktree {
        /// Action on the worktree.
        action: WorktreeAction,
        /// `true` if uncommitted changes in the worktree may be lost.
        discard_changes?: bool,
    }

    /// An action on a worktree that the session leaves.
    pub enum WorktreeAction {
        /// Keeps the worktree.
        Keep = "keep",
        /// Removes the worktree.
        Remove = "remove",
    }

    /// Response of [`ExitWorktree`].
    pub struct ExitWorktreeResponse {
        /// Action on the worktree.
        action: WorktreeAction,
        /// Folder of the session before it entered the worktree.
        original_cwd: PathBuf = "originalCwd",
        /// Path of the worktree.
        worktree_path: PathBuf = "worktreePath",
        /// Branch of the worktree.
        worktree_branch: Option<String> = "worktreeBranch",
        /// Name of the tmux session that was in the worktree.
        tmux_session_name: Option<String> = "tmuxSessionName",
        /// Number of changed files that were lost.
        discarded_files: Option<u64> = "discardedFiles",
        /// Number of commits that were lost.
        discarded_commits: Option<u64> = "discardedCommits",
        /// Current folder of the session. Client 2.1.330 sends this field, but does not publish it.
        restored_cwd: Option<PathBuf> = "restoredCwd",
        /// `true` if `original_cwd` no longer exists. Client 2.1.330 sends this field, but does not publish it.
        original_cwd_missing?: bool = "originalCwdMissing",
        /// Message to the model.
        message: String,
    }
}
