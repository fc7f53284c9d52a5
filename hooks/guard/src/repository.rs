//! Questions to git: the branches that a push changes, the files that a command takes, and the work that is lost with a folder.
//!
//! Only a commit's message is checked elsewhere. [`WorkTree`] bounds the time and the output, and keeps
//! the repository from starting programs; each question here is one or two runs of it.

mod lost;
mod pushed;
mod taken;

pub(crate) use lost::{is_built, work_in};
pub(crate) use pushed::{ALL, Pushes};
pub(crate) use taken::Takes;
