//! The client starts the hooks that their matchers and conditions select.

use anyhow::Result;
use hookkit_tests::record::Record;
use hookkit_tests::{client, matchers};

#[test]
fn matchers_select_the_recorded_tools() -> Result<()> {
    const NAME: &str = "matchers_select_the_recorded_tools";
    let client = client!(NAME);
    Record::check("matchers", || matchers::matched(&client), NAME)
}

#[test]
fn conditions_select_the_recorded_tools() -> Result<()> {
    const NAME: &str = "conditions_select_the_recorded_tools";
    let client = client!(NAME);
    Record::check("conditions", || matchers::admitted(&client), NAME)
}
