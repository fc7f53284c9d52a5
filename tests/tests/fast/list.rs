//! `list` names the hooks that a session runs, as recorded of the client. `tests/fixtures/console` has what it prints.

use hookkit_tests::handler_name;
use hookkit_tests::prelude::*;

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

#[test]
fn a_row_says_where_and_what() -> Result<()> {
    let world = World::with_handlers()?;
    let rows = world.rows(&[])?;
    let row = |name: &str, members: [&str; 5]| -> Result<Value> {
        let row = rows.iter().find(|row| handler_name(row).as_deref() == Some(name));
        let row = row.context("it is listed")?;
        Ok(members.iter().map(|member| row[member].clone()).collect())
    };
    let members = ["kind", "scope", "line", "active", "matches_nothing"];
    let of_plugin = json!(["foreign", "plugin near@shop", 1, true, []]);
    assert_eq!(row("of-plugin", members)?, of_plugin);
    let mistake = json!(["`bash` matches no tool; did you mean `Bash`?"]);
    assert_eq!(row("in-lower-case", members)?[4], mistake);
    let lost = row("lost-too", ["active", "finding", "", "", ""])?;
    assert_eq!(lost[0], false);
    lost[1].as_str().context("a finding")?.has("`timeout` should be");
    let files = rows.iter().filter(|row| row["kind"] == "file");
    let scopes: BTreeSet<&str> = files.filter_map(|row| row["scope"].as_str()).collect();
    let expected = ["local", "plugin broken@shop", "plugin half@shop", "project", "user"];
    assert_eq!(scopes, BTreeSet::from(expected));
    Ok(())
}
