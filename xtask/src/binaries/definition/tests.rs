use hookkit_protocol::hook::Mode;
use serde_json::json;

use super::*;

/// Returns a hook on Bash calls, with these changes to its row in a listing.
pub(crate) fn hook(name: &str, changes: &Value) -> Definition {
    let mut row = json!({
        "name": name, "description": "", "on_failure": "continue", "path": format!("acme::{}", name.replace('-', "_")),
        "package": "acme", "package_version": "1.0.0",
        "entries": [{"event": "PreToolUse", "matcher": "Bash", "blocks_in_settings": false}],
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        row[key] = value.clone();
    }
    serde_json::from_value(row).unwrap()
}

#[test]
fn a_listing_of_a_newer_version_is_refused_with_a_message() {
    // The other fields are not read.
    let newer = format!(r#"{{"version": {}, "hookkit": "7.1.0", "hooks": {{}}}}"#, VERSION + 1);
    let refused = Listing::parse(newer.as_bytes()).err().map(|err| err.to_string());
    let ours = env!("CARGO_PKG_VERSION");
    assert_eq!(
        refused,
        Some(format!(
            "the packs use hookkit 7.1.0, which is too new for this xtask (hookkit {ours}); run: cargo update \
             hookkit-xtask"
        ))
    );
}

#[test]
fn a_summary_has_code_in_the_place_of_links() {
    let text = "Counts [`calls`] for [`run`](crate::run) (a loop);\n[all](x) of [`Session::new`].\n\nMore.";
    let hook = hook("a", &json!({"description": text}));
    assert_eq!(hook.summary(), "Counts `calls` for `run` (a loop); [all](x) of `Session::new`.");
}

#[test]
fn missing_fields_of_an_older_hookkit_have_defaults_and_new_fields_are_ignored() -> Result<()> {
    let output = include_str!("../../../lines/older-listing.json");
    let listing = Listing::parse(output.as_bytes())?;
    let [hook] = &listing.hooks[..] else { panic!("one hook") };
    assert_eq!((&*hook.declared.name, hook.subject()), ("guard", "Stop".to_owned()));
    assert_eq!(hook.summary(), "Guards the tests.");
    assert_eq!((&hook.declared.condition, hook.declared.timeout, &hook.declared.status_message), (&None, None, &None));
    assert_eq!((hook.declared.mode, hook.written_matcher, hook.written_condition), (Mode::Awaited, None, None));
    // A pack cannot set the workspace's changes.
    assert!(!hook.changes.off && hook.changes.overridden.is_empty());
    Ok(())
}

#[test]
fn fields_of_every_version_have_no_default() {
    let output = r#"{"version": 1, "hookkit": "0.1.9", "hooks": [{"name": "guard"}]}"#;
    let refused = Listing::parse(output.as_bytes()).err().map(|err| format!("{err:#}"));
    assert!(refused.is_some_and(|refused| {
        refused.starts_with("reading the output of the lister of hookkit 0.1.9: missing field")
    }));
}
