//! Snapshots of a project's files, one before each tool call that may change them.
//!
//! A [`Store`] is a folder of the user's own, outside of the project:
//!
//! ```text
//! snapshots/PROJECT/
//!   lock         held while a snapshot is taken, and for moments while old ones are removed
//!   packing      held while old ones are removed
//!   calls.jsonl  a row for each call, written before its snapshot
//!   number       the number of the last snapshot
//!   bounds.json  the bounds of the last snapshot
//!   index        the last snapshot, and the size and times of each file in it
//!   git/         a bare repository: a tree for each snapshot, and a ref, which is written last
//! ```
//!
//! A tree has the content of a file under its mode and its path, such as `644/src/lib.rs`, because git keeps only one
//! bit of a mode. The target of a link is under `link`. The file `left-out` lists everything that is left out.
//!
//! This crate itself walks and reads the project. Git never runs in it, so that attributes, filters, hooks and settings
//! of a checkout have no effect. A file with the same size, times, inode and mode as in the index is not read again,
//! and git runs only if a file has changed.
//!
//! Snapshots exist on Unix only.

mod bounds;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod log;
#[cfg(unix)]
mod store;
#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod walk;

pub use bounds::Bounds;
#[cfg(unix)]
pub use git::Content;
#[cfg(unix)]
pub use log::{Call, Row};
#[cfg(unix)]
pub use store::{Kept, Run, Store, root};
