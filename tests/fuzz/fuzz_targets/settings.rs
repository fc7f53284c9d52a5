//! `uninstall` undoes `install` in any settings file, and the rest of the file is unchanged.

#![no_main]

use hookkit_fuzz::{Choices, depth, for_serde_json};
use hookkit_xtask::fuzzing::{self, Hook};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const HOOKS: [Hook<'static>; 6] = [
    ("PreToolUse", Some("Read|Edit"), "guard"),
    ("Stop", None, "gate"),
    ("PreToolUse", Some("Bash"), "shell"),
    ("SessionEnd", None, "gate"),
    ("Notification", None, "bell"),
    ("SessionStart", Some("startup"), "greet"),
];

fuzz_target!(|file: &str| {
    parses_as_serde_json(file);
    fuzzing::findings(file);
    for fixed in fuzzing::fixed(file) {
        assert!(fuzzing::values(&fixed).is_some(), "{fixed}");
    }
    // An entry that hookkit wrote is updated, not added.
    if file.contains("hookkit") || fuzzing::has_ours(file) {
        fuzzing::uninstall_without_record(file);
        return;
    }
    let mut choices = Choices::of(file.as_bytes());
    let first = choices.below(HOOKS.len());
    let hooks = &HOOKS[first..first + 1 + choices.below(HOOKS.len() - first)];
    fuzzing::check(file, hooks);
});

/// Checks that a file is parsed as by serde_json, except for comments, trailing commas and ambiguous positions.
fn parses_as_serde_json(file: &str) {
    let text = file.strip_prefix('\u{feff}').unwrap_or(file);
    let (plain, repeats_a_key) = for_serde_json(text.as_bytes());
    let theirs = serde_json::from_slice::<Value>(&plain);
    let is_strict = fuzzing::beyond_json(file).is_empty();
    match (fuzzing::values(file), theirs) {
        (Some(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        // serde_json rejects numbers that are too large; hookkit accepts them.
        (Some(_), Err(err)) => assert!(!is_strict || err.to_string().contains("out of range"), "{err}"),
        (None, Ok(theirs)) => assert!(
            !theirs.is_object() || repeats_a_key || depth(&theirs) > 100 || !fuzzing::is_editable(file),
            "{theirs}"
        ),
        (None, Err(_)) => {}
    }
}
