//! Folders and files that hooks write during a session.
//!
//! A checkout can contain links and files at these paths, and the hooks write secrets there. So no link is followed
//! below the project.
//!
//! Each platform has a file with the same functions. On Unix, each folder is opened relative to its parent; on Windows,
//! each path is checked before it is opened.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// The error for a link below the project.
const LINK: &str = "it is a link, which might lead anywhere; remove it";
