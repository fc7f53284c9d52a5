//! `list` names the hooks that were recorded to run in the client.

use std::collections::BTreeMap;

use anyhow::Result;
use hookkit_tests::World;
use hookkit_tests::record::Record;

#[test]
fn list_names_the_hooks_that_the_client_runs() -> Result<()> {
    let recorded = Record::<usize>::read("handlers")?;
    let world = World::with_handlers()?;
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    // The events of a session that calls Bash once.
    for subject in ["PreToolUse:Bash", "SessionStart:startup", "PostToolUse:Bash", "Stop"] {
        for name in world.named(subject)? {
            *named.entry(name).or_default() += 1;
        }
    }
    // The only hook with an `if` that the call fits.
    *named.entry("if-true".to_owned()).or_default() += 1;
    assert_eq!(named, recorded.rows);
    Ok(())
}
