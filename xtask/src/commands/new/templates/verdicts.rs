//! The client's reaction to the hooks' answers, on events recorded in a session of the client.

use hookkit::{Hook, testing};
use @crate@::lock_files::@function@;

const EDIT: &str = include_str!("payloads/edit.json");

#[test]
fn an_edit_goes_ahead() {
    testing::run_recorded(@function@::DEF, EDIT.as_bytes()).assert_passed();
}

#[test]
fn the_model_reads_why_a_lock_file_is_not_edited() {
    let edit = EDIT.replace("@file@", "Cargo.lock");
    testing::run_recorded(@function@::DEF, edit.as_bytes()).assert_denied("cargo writes this file");
}
