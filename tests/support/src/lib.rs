//! Places, git and rows of data for the tests of all crates.
//!
//! A test must mean the same wherever the checkout, the target folder, the folder for temporary files and the home folder
//! are, for any user, and with any configuration of git. So a test makes folders with [`folder`] and [`lasting`] alone, and
//! runs git with [`git`] alone; `tests/tests/fast/ground.rs` refuses other ways.

pub mod lines;
mod places;

pub use places::{below_dev, folder, git, git_command, is_temporary, lasting, named_folder};
