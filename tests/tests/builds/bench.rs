//! `bench` runs hooks on events that they are called on. The times are not tested.

use std::collections::BTreeSet;

use anyhow::Result;
use hookkit_tests::workspace::fixture;
use hookkit_tests::xtask::xtask_ok;
use serde_json::Value;

fn rows(arguments: &[&str]) -> Result<Vec<Value>> {
    let text = xtask_ok(fixture()?, arguments)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

#[test]
fn each_hook_gets_an_event_that_it_answers() -> Result<()> {
    let outside = test_support::folder();
    let project = outside.path().to_str().unwrap_or_default();
    let listed = rows(&["list", "--json", "--project", project])?;
    let of_pack = |row: &Value| {
        let is_of_pack = row["path"].as_str()?.starts_with("fixture_hooks::");
        is_of_pack.then(|| row["name"].as_str().map(str::to_owned))?
    };
    let of_pack: BTreeSet<String> = listed.iter().filter_map(of_pack).collect();
    let mut ran = 0;
    for row in rows(&["bench", "--json", "--rounds", "10"])? {
        let name = row["name"].as_str().unwrap_or_default();
        let code = match name {
            _ if !of_pack.contains(name) => continue,
            "failing-guard" | "panicking-guard" | "panic-after-edit" | "panic-anywhere" | "strict-anywhere"
            | "wake" => continue,
            "export" | "failing-observer" | "lenient-guard" | "panic-at-stop" => 1,
            _ => 0,
        };
        assert_eq!(row["exit_code"], code, "{row}");
        assert!(row["p10"].as_f64().is_some_and(|ratio| ratio > 0.0), "{row}");
        ran += 1;
    }
    assert!(ran > 10, "{ran} of {of_pack:?}");
    Ok(())
}
