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
    let _ = fuzzing::findings(file);
    for fixed in fuzzing::fixed(file) {
        assert!(fuzzing::values(&fixed).is_some(), "{fixed}");
    }
    // An entry that hookkit wrote is updated, not added.
    if file.contains("hookkit") || fuzzing::has_ours(file) {
        let _ = fuzzing::uninstall_without_record(file);
        return;
    }
    let mut choices = Choices::of(file.as_bytes());
    let first = choices.below(HOOKS.len());
    let hooks = &HOOKS[first..first + 1 + choices.below(HOOKS.len() - first)];

    let is_editable = fuzzing::ensure_editable(file);
    let installed = match (fuzzing::install(file, hooks), is_editable) {
        (Ok(installed), Ok(())) => installed,
        (Err(err), Ok(())) => panic!("{err:#}"),
        (Ok(installed), Err(err)) => panic!("{err:#}, but {}", installed.text),
        (Err(_), Err(_)) => return,
    };
    let text = &installed.text;
    assert!(fuzzing::is_current(text, hooks), "{text}");
    let (Some(before), Some(after)) = (fuzzing::values(file), fuzzing::values(text)) else {
        panic!("invalid after the install: {text}");
    };
    assert!(has_all(&before, &after), "{text}");
    let comments = |text: &str| {
        fuzzing::beyond_json(text)
            .into_iter()
            .filter(|found| found != ",")
            .collect::<Vec<_>>()
    };
    assert_eq!(comments(file), comments(text), "{text}");

    let (rest, lost) = installed
        .uninstall(text)
        .unwrap_or_else(|err| panic!("{err:#}: {text}"));
    assert_eq!(rest, file, "{text}");
    assert_eq!(lost, Vec::<String>::new(), "{text}");

    let rest = fuzzing::uninstall_without_record(text).unwrap_or_else(|err| panic!("{err:#}: {text}"));
    let holds = !fuzzing::has_ours(&rest) && fuzzing::ensure_editable(&rest).is_ok();
    assert!(holds, "{rest}");
    assert_eq!(comments(file), comments(&rest), "{rest}");

    // Another program has rewritten the file.
    if fuzzing::beyond_json(text).is_empty() {
        let written = after.to_string();
        let (rest, _) = installed
            .uninstall(&written)
            .unwrap_or_else(|err| panic!("{err:#}: {written}"));
        assert_eq!(fuzzing::values(&rest), Some(before), "{written}");
    }
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
            !theirs.is_object() || repeats_a_key || depth(&theirs) > 100 || fuzzing::ensure_editable(file).is_err(),
            "{theirs}"
        ),
        (None, Err(_)) => {}
    }
}

/// Returns `true` if every value of `before` is in `after`, in its place.
fn has_all(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => before
            .iter()
            .all(|(key, value)| after.get(key).is_some_and(|after| has_all(value, after))),
        (Value::Array(before), Value::Array(after)) => after.starts_with(before),
        _ => before == after,
    }
}
