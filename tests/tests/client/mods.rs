//! What a mod can do to hooks, and what a person is told of it before.

use anyhow::Result;
use hookkit_tests::record::Record;
use hookkit_tests::{client, mods};

#[test]
fn sessions_with_a_mod_come_to_what_is_recorded() -> Result<()> {
    const NAME: &str = "sessions_with_a_mod_come_to_what_is_recorded";
    let client = client!(NAME);
    Record::check("mods", || mods::played(&client), NAME)
}

#[test]
fn a_mod_keeps_the_hooks_of_an_event_from_starting_as_recorded() -> Result<()> {
    const NAME: &str = "a_mod_keeps_the_hooks_of_an_event_from_starting_as_recorded";
    let client = client!(NAME);
    Record::check("skipped-by-mods", || mods::started(&client), NAME)
}
