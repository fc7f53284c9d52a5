//! Common parts of the tests of all crates: places, git, rows of data, and checks of texts.
//!
//! A test must mean the same wherever the checkout, the target folder, the folder for temporary files and the home folder
//! are, for any user, and with any configuration of git. So a test makes folders with [`folder`] and [`lasting`] alone, and
//! runs git with [`git`] alone; `tests/tests/fast/ground.rs` refuses other ways.

pub mod lines;
mod made;
mod needs;
#[cfg(unix)]
pub mod obstacles;
mod places;
pub mod steps;
mod text;

pub use made::made;
pub use needs::{is_installed, skip};
pub use places::{below_dev, folder, git, git_command, is_temporary, lasting, named_folder, temporary};
pub use text::Has;
