//! The effects of edits, writes and searches in the client.

use anyhow::Result;
use hookkit_tests::record::Record;
use hookkit_tests::{client, edits};

#[test]
fn edits_leave_the_recorded_texts() -> Result<()> {
    const NAME: &str = "edits_leave_the_recorded_texts";
    let client = client!(NAME);
    Record::check("edits", || edits::edited(&client), NAME)
}

#[test]
fn writes_go_to_the_recorded_files() -> Result<()> {
    const NAME: &str = "writes_go_to_the_recorded_files";
    let client = client!(NAME);
    Record::check("writes", || edits::written(&client), NAME)
}

#[test]
fn searches_find_the_recorded_files() -> Result<()> {
    const NAME: &str = "searches_find_the_recorded_files";
    let client = client!(NAME);
    Record::check("searches", || edits::found(&client), NAME)
}
