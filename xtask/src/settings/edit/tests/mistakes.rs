//! Tests of rejected texts, and of users' mistakes.

use super::*;
use crate::settings::check::ensure_no_new_findings;
use test_support::Has;

/// A key's path has all its containers, and the fix contains this path, too.
#[test]
fn a_key_is_named_by_its_whole_path() {
    let file = "{\"statusLine\": {\"type\": \"command\"}}";
    let message: Vec<String> = findings(file).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(message.len(), 1);
    let [missing, fix] = ["`statusLine.command` is missing here", "add `statusLine.command`, a text"];
    assert!(message[0].contains(missing) && message[0].ends_with(fix), "{message:?}");
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place_and_the_fix() {
    let refused = |file: &str| insert(file, &[entry("Stop", None, "gate")]).unwrap_err().to_string();
    TEXTS.check_section("refused", refused);
}

#[test]
fn deep_nesting_is_edited_or_refused_but_never_overflows() {
    for depth in [50, 200, 100_000] {
        let file = format!("{{\"a\": {}1{}}}", "[".repeat(depth), "]".repeat(depth));
        match insert(&file, &entries()) {
            Ok(_) => assert!(depth < 1000 && undone(&file, &entries()).is_some()),
            Err(err) => {
                let expected = "column 517: hookkit does not read objects and lists that are nested deeper";
                assert!(depth > 1000 && err.to_string().contains(expected), "{err}");
            }
        }
    }
}

#[test]
fn an_entry_that_the_client_would_not_read_never_reaches_the_file() {
    let refused = |entry| {
        let before = Document::parse("{}").unwrap();
        let edited = edit::insert(&before, &[entry]).unwrap();
        ensure_no_new_findings(&before, &edited.document).unwrap_err().to_string()
    };
    let mut bad = entry("PreToolUse", None, "guard");
    bad.handler.0.push(("timeout", 0.into()));
    refused(bad).has("`timeout` should be a number above 0");
    refused(entry("Never", None, "guard")).has("`Never` is not an event");
}

#[test]
fn foreign_mistakes_are_reported_with_their_place_and_do_not_hinder_us() {
    let file = "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\"}]}]\n  }\n}";
    let found = findings(file).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "line 3, column 25: `command` is missing here: Claude Code ignores this hook; add `command`, a text"
    );
    assert!(undone(file, &entries()).is_some());
}

#[test]
fn of_many_mistakes_of_one_kind_the_first_are_reported_and_the_others_counted() {
    let comments = "  // why\n".repeat(10_000);
    let file = format!("{{\n{comments}  \"a\": 1,\n}}\n");
    let found = findings(&file).unwrap();
    assert_eq!(found.len(), 10_001);
    let is_there = |found: &Finding| found.place == Some(Position::of(&file, found.range.start));
    assert!(found.iter().step_by(100).all(is_there));
    let message = listed(&found);
    assert_eq!(message.len(), 12);
    message[9].starts("line 11, column 3: JSON has no comments: ");
    assert_eq!(message[11], "9990 more like those: JSON has no comments");
    assert!(undone(&file, &entries()).is_some());
}

/// The effect of each kind of mistake. `tests/tests/client/settings.rs` checks them with the real client.
#[test]
fn each_mistake_costs_what_the_client_makes_of_it() {
    let cases = include_str!("../../../../../tests/fixtures/settings.json");
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    for case in &cases {
        let text = case["text"].as_str().map(str::to_owned);
        let text = text.unwrap_or_else(|| case["settings"].to_string());
        // The client also drops text that cannot be parsed.
        let message = match findings(&text) {
            Ok(found) => found.iter().map(|found| format!("{:?}", found.ignored)).collect(),
            Err(_) => vec!["File".to_owned()],
        };
        assert_eq!(json!(message), case["ignored"], "{}: {text}", case["name"]);
    }
    assert!(cases.len() > 60);
}
