//! Folders and files for what a session leaves.
//!
//! A checkout can bring links and files at the places where these are, and what is written there holds secrets. So no link
//! is followed below the project.
//!
//! There is a file for each system, with the same functions: Unix opens every folder from the one before it, Windows checks
//! each path before it is opened.

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
