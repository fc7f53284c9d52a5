//! `bench` runs what it is asked to run, on events that hooks can read. How long that takes is no test's business.

use anyhow::Result;
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::{xtask, xtask_ok};
use serde_json::Value;

#[test]
fn each_hook_gets_an_event_that_it_answers() -> Result<()> {
    let text = xtask_ok(fixture()?, &["bench", "--json", "--rounds", "10"])?;
    let rows: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert!(rows.len() > 10, "{text}");
    for row in rows {
        let name = row["name"].as_str().unwrap_or_default();
        let code = match name {
            "failing-guard" | "panicking-guard" | "panic-after-edit" | "panic-anywhere" | "strict" | "wake" => continue,
            "export" | "failing-observer" | "lenient-guard" | "panic-at-stop" => 1,
            _ => 0,
        };
        assert_eq!(row["exit_code"], code, "{row}");
        assert!(row["p10"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
    }
    Ok(())
}

#[test]
fn only_the_chosen_hooks_are_run() -> Result<()> {
    let text = xtask_ok(fixture()?, &["bench", "hold", "--rounds", "10"])?;
    assert!(text.contains("  hold") && !text.contains("overhear"), "{text}");
    let output = xtask(fixture()?, &["bench", "nobody"])?;
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr)?.contains("there is no hook `nobody`"));
    Ok(())
}
