//! The tools by which a session moves into a git worktree and out of it.

use std::path::PathBuf;

use super::tool;
use crate::wire::wire;

tool! { EnterWorktree = "EnterWorktree" => EnterWorktreeResponse }
tool! { ExitWorktree = "ExitWorktree" => ExitWorktreeResponse }

wire! {
    /// Makes a worktree, or takes one that is there, and goes on in it.
    pub struct EnterWorktree {
        /// The name of a new one.
        name: Option<String>,
        /// The folder of one that is there.
        path: Option<PathBuf>,
    }

    /// What [`EnterWorktree`] gives back.
    pub struct EnterWorktreeResponse {
        /// The worktree.
        worktree_path: PathBuf = "worktreePath",
        /// Its branch.
        worktree_branch: Option<String> = "worktreeBranch",
        /// What the model is told.
        message: String,
    }

    /// Leaves the worktree.
    pub struct ExitWorktree {
        /// What becomes of it.
        action: WorktreeAction,
        /// Whether changes that are not committed may be lost with it.
        discard_changes?: bool,
    }

    /// What becomes of a worktree that the session leaves.
    pub enum WorktreeAction {
        /// It stays.
        Keep = "keep",
        /// It is removed.
        Remove = "remove",
    }

    /// What [`ExitWorktree`] gives back.
    pub struct ExitWorktreeResponse {
        /// What became of the worktree.
        action: WorktreeAction,
        /// Where the session was before it entered it.
        original_cwd: PathBuf = "originalCwd",
        /// The worktree.
        worktree_path: PathBuf = "worktreePath",
        /// Its branch.
        worktree_branch: Option<String> = "worktreeBranch",
        /// The tmux session that was in it.
        tmux_session_name: Option<String> = "tmuxSessionName",
        /// How many files with changes were lost.
        discarded_files: Option<u64> = "discardedFiles",
        /// How many commits were lost.
        discarded_commits: Option<u64> = "discardedCommits",
        /// Where the session is now. Sent by client 2.1.330, which does not publish it.
        restored_cwd: Option<PathBuf> = "restoredCwd",
        /// Whether `original_cwd` is gone. Sent by client 2.1.330, which does not publish it.
        original_cwd_missing?: bool = "originalCwdMissing",
        /// What the model is told.
        message: String,
    }
}
