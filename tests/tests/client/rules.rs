//! The client denies and lets through the calls that `doctor` says.

use anyhow::Result;
use hookkit_tests::record::Record;
use hookkit_tests::{client, rules};

#[test]
fn permission_rules_have_the_recorded_outcomes() -> Result<()> {
    const NAME: &str = "permission_rules_have_the_recorded_outcomes";
    let client = client!(NAME);
    Record::check("rules", || rules::played(&client), NAME)
}
