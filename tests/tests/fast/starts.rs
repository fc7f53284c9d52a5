//! `list` has the hooks of a session for each place where one can start, as the client was observed to.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use hookkit_tests::record::Record;
use hookkit_tests::starts::{STARTS, Started, Starts};
use hookkit_tests::{World, handler_name};
use serde_json::Value;

#[test]
fn list_has_the_hooks_of_each_start() -> Result<()> {
    let recorded = Record::<Started>::read("starts")?;
    assert_eq!(recorded.gaps(STARTS.iter().map(|start| start.name)), [] as [&str; 0]);
    let (starts, world) = (Starts::new()?, World::new()?);
    let user = starts.user("reader")?;
    for start in STARTS {
        let Some(folder) = start.listed else { continue };
        let folder = starts.outer().join(folder);
        let arguments = ["--json", "--for", "PreToolUse:Bash"];
        let mut list = world.list_command(world.outside.path(), &folder, &arguments)?;
        let listed = list
            .env("HOME", starts.home())
            .env("CLAUDE_CONFIG_DIR", &user)
            .output()?;
        let rows = String::from_utf8(listed.stdout)?;
        let rows: Vec<Value> = rows.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let runs = rows.iter().filter(|row| row["runs"] == true).map(handler_name);
        let runs: BTreeSet<String> = runs.collect::<Option<_>>().context("a name of each hook")?;
        assert_eq!(runs, recorded.rows[start.name].hooks, "{}", start.name);
    }
    Ok(())
}
