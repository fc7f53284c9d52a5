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
    let row = |name: &str| {
        rows.iter()
            .find(|row| handler_name(row).as_deref() == Some(name))
            .context("it is listed")
    };
    let of_plugin = row("of-plugin")?;
    assert_eq!(
        (
            &of_plugin["kind"], &of_plugin["scope"], &of_plugin["line"], &of_plugin["active"]
        ),
        (&json!("foreign"), &json!("plugin near@shop"), &json!(1), &json!(true))
    );
    let lower = row("in-lower-case")?;
    assert_eq!(
        (&lower["matches_nothing"], &of_plugin["matches_nothing"]),
        (&json!(["`bash` matches no tool; did you mean `Bash`?"]), &json!([]))
    );
    let lost = row("lost-too")?;
    assert_eq!(lost["active"], false);
    assert!(
        lost["finding"]
            .as_str()
            .is_some_and(|finding| finding.contains("`timeout` should be")),
        "{lost}"
    );
    let files: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["kind"] == "file")
        .filter_map(|row| row["scope"].as_str())
        .collect();
    assert_eq!(
        files,
        BTreeSet::from(["local", "plugin broken@shop", "plugin half@shop", "project", "user"])
    );
    Ok(())
}
