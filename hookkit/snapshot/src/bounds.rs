//! Limits on the size and number of snapshots.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The limits of snapshots. Files that exceed a limit are left out, and reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Maximum size of a file, in bytes.
    pub file: u64,
    /// Maximum number of files. If there are more, no snapshot is taken.
    pub files: usize,
    /// Maximum number of bytes of changed files in one snapshot; each file counts as 3,000 bytes more. The smallest
    /// files come first, and the next snapshots keep the rest.
    pub snapshot: u64,
    /// Maximum number of bytes of all snapshots of a project on disk. If they take more, no snapshot is taken before a
    /// call.
    pub store: u64,
    /// Maximum number of snapshots of a project. The oldest are removed when a session starts.
    pub snapshots: usize,
    /// Days after which a snapshot is removed when a session starts.
    pub days: u64,
    /// Time limit of one snapshot, in seconds. A command does not wait longer.
    pub seconds: u64,
    /// Folders that are left out because a build or a package manager fills them, given by a name or by the end of a
    /// path. A folder with a signed `CACHEDIR.TAG`, such as cargo's `target`, is also left out.
    pub left_out: Vec<PathBuf>,
}

impl Bounds {
    /// Returns the maximum size of a file in a snapshot.
    #[cfg(unix)]
    pub(crate) fn largest(&self) -> u64 {
        self.file.min(self.snapshot.saturating_sub(crate::walk::OVERHEAD))
    }
}

impl Default for Bounds {
    fn default() -> Self {
        let left_out = [
            ".claude/hookkit", ".dart_tool", ".gradle", ".next", ".nuxt", ".stack-work", ".svelte-kit", ".terraform",
            ".tox", ".turbo", ".venv", ".zig-cache", "DerivedData", "Pods", "__pycache__", "dist-newstyle",
            "node_modules", "venv",
        ];
        Self {
            file: 32 << 20,
            files: 100_000,
            snapshot: 64 << 20,
            store: 2 << 30,
            snapshots: 1000,
            days: 14,
            seconds: 5,
            left_out: left_out.map(PathBuf::from).into(),
        }
    }
}
