//! Limits of what is kept.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The limits of snapshots. What exceeds that of a file or of a snapshot is left out, and named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Largest file, in bytes.
    pub file: u64,
    /// Number of files. No snapshot is taken of more.
    pub files: usize,
    /// Bytes of changed files in one snapshot, and 3,000 more for each. The smallest come first; the others are kept by the next
    /// snapshots.
    pub snapshot: u64,
    /// Bytes of all snapshots of a project on disk. Beyond them, none is taken before a call.
    pub store: u64,
    /// Number of snapshots of a project. The oldest are removed when a session starts.
    pub snapshots: usize,
    /// Days after which a snapshot is removed when a session starts.
    pub days: u64,
    /// Time for one snapshot, in seconds. A command is not held up for longer.
    pub seconds: u64,
    /// Folders that are left out, by a name or by the end of a path: those that a build or a package manager fills. Each
    /// folder with a signed `CACHEDIR.TAG`, as cargo's `target`, is left out as well.
    pub left_out: Vec<PathBuf>,
}

impl Bounds {
    /// Returns the size of the largest file that a snapshot can have.
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
