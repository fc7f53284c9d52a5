//! `bench` runs the chosen hooks, on events that they are called on. How long that takes is no test's business.

use std::collections::BTreeMap;

use anyhow::Result;
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::{xtask, xtask_ok};
use serde_json::Value;

#[test]
fn each_chosen_hook_answers_an_event_that_it_is_called_on() -> Result<()> {
    let expected = BTreeMap::from([
        ("careful", 0),
        ("failing-observer", 1),
        ("greet", 0),
        ("hold", 0),
        ("overhear", 0),
        ("panic-after-edit", 1),
        ("panicking-guard", 2),
        ("printing-guard", 0),
        ("remind", 0),
        ("tell", 0),
    ]);
    let chosen: Vec<&str> = expected.keys().copied().collect();
    let text = xtask_ok(
        fixture()?,
        &[&["bench", "--json", "--rounds", "10"], &chosen[..]].concat(),
    )?;
    let rows: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let ended = rows.iter().map(|row| (row["name"].as_str(), row["exit_code"].as_i64()));
    let expected = expected.iter().map(|(name, code)| (Some(*name), Some(*code)));
    assert_eq!(BTreeMap::from_iter(ended), BTreeMap::from_iter(expected), "{text}");
    for row in rows {
        assert!(row["p10"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
    }
    Ok(())
}

#[test]
fn a_hook_that_is_not_there_is_refused() -> Result<()> {
    let text = xtask_ok(fixture()?, &["bench", "hold", "--rounds", "10"])?;
    assert!(text.contains("  hold") && !text.contains("overhear"), "{text}");
    let output = xtask(fixture()?, &["bench", "nobody"])?;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr)?.contains("there is no hook `nobody`"));
    Ok(())
}
