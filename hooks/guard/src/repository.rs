//! Questions to git: the branches that a push changes, the files that a command takes, and the work in a deleted folder.
//!
//! Only commit messages are checked elsewhere. [`WorkTree`] limits time and output, and keeps the repository from starting
//! programs; each question needs one or two runs of git.

mod lost;
mod pushed;
mod taken;

pub(crate) use lost::{is_built, work_in};
pub(crate) use pushed::{ALL, Pushes};
pub(crate) use taken::Takes;
