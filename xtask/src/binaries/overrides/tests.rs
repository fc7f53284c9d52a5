use hookkit_protocol::hook::{Mode, OnFailure, Written};
use serde_json::json;

use super::launcher::{Spot, refusal};
use super::*;
use crate::binaries::definition;
use test_support::Has;

fn guard(path: &str) -> Definition {
    let (package, name) = (path.split("::").next().unwrap(), path.rsplit("::").next().unwrap());
    let entry = |event: &str| json!({"event": event, "matcher": "Edit|Write", "blocks_in_settings": false});
    let changes = json!({
        "timeout": 10, "path": path, "package": package.replace('_', "-"), "written_matcher": "checked",
        "entries": [entry("PreToolUse"), entry("PostToolUse")],
    });
    definition::tests::hook(&name.replace('_', "-"), &changes)
}

fn read(tables: &Value) -> Result<Overrides> {
    Overrides::read(&serde_json::from_value(tables.clone())?)
}

fn applied(tables: &Value, hooks: &[Definition]) -> Result<Vec<Definition>> {
    let mut hooks = hooks.to_vec();
    read(tables)?.apply(&mut hooks)?;
    Ok(hooks)
}

fn refused(tables: &Value, hooks: &[Definition]) -> String {
    match applied(tables, hooks) {
        Ok(_) => panic!("{tables} is accepted"),
        Err(err) => err.to_string(),
    }
}

#[test]
fn changed_options_are_listed_and_the_rest_is_unchanged() {
    let tables = json!({"protect": {
        "name": "acme-protect", "matcher": "Edit", "if": {"unchecked": "Edit(src/**)"}, "timeout": 5,
        "on-failure": "block", "status-message": "looking", "env": {"LEVEL": "\"strict\""},
    }});
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("acme_guards::other")]).unwrap();
    let [hook, other] = &hooks[..] else { panic!("two hooks") };
    assert_eq!(hook.declared.name, "acme-protect");
    assert_eq!(hook.subject(), "PreToolUse Edit, PostToolUse Edit");
    assert_eq!(hook.declared.condition.as_deref(), Some("Edit(src/**)"));
    assert_eq!(hook.declared.timeout, Some(5));
    assert_eq!(hook.declared.status_message.as_deref(), Some("looking"));
    assert_eq!(hook.declared.on_failure, OnFailure::Block);
    assert!(hook.entries[0].blocks_in_settings);
    let row = serde_json::to_value(hook).unwrap();
    assert_eq!(row["off"], false);
    let written = read::OPTIONS.iter().filter(|option| tables["protect"].get(option).is_some());
    assert_eq!(row["overridden"], json!(written.collect::<Vec<_>>()));
    assert_eq!(row["overridden"].as_array().map(Vec::len), Some(7));
    assert_eq!(hook.target_name(), "acme_guards__protect");
    assert_eq!(hook.launcher(), include_str!("../../../lines/launcher-overridden.txt"));
    assert_eq!(other.launcher(), "hookkit::main!(acme_guards::other);\n");
    assert_eq!(other.target_name(), "other");
}

#[test]
fn the_launcher_has_the_authors_options_and_the_changed_ones() {
    let mut hook = guard("acme_guards::protect");
    hook.declared.mode = Mode::Async;
    hook.written_matcher = Some(Written::Unchecked);
    let tables = json!({"protect": {"timeout": {"unchecked": 9000}}});
    let launcher = applied(&tables, &[hook.clone()]).unwrap()[0].launcher();
    let place = "// from [workspace.metadata.hookkit.hooks.protect]";
    for line in [
        format!("    async, {place}\n"),
        format!("    matcher = unchecked(\"Edit|Write\"), {place}\n"),
        format!("    timeout = unchecked(9000), {place} timeout\n"),
    ] {
        assert!(launcher.contains(&line), "{line}{launcher}");
    }
    // A matcher that comes from the types is not written.
    hook.written_matcher = None;
    let launcher = applied(&tables, &[hook]).unwrap()[0].launcher();
    assert!(!launcher.contains("matcher"), "{launcher}");
}

#[test]
fn a_hook_that_is_off_can_also_be_changed() {
    let tables = json!({"protect": {"off": true, "timeout": 5}, "other": {"off": false}});
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("acme_guards::other")]).unwrap();
    assert!(hooks[0].changes.off && !hooks[1].changes.off);
    assert_eq!(hooks[0].changes.overridden, ["timeout"]);
    let refusal = ensure_on(&hooks, "protect").unwrap_err().to_string();
    refusal.starts("[workspace.metadata.hookkit.hooks.protect] off: ");
    ensure_on(&hooks, "other").unwrap();
    ensure_on(&hooks, "unknown").unwrap();
}

#[test]
fn a_hook_that_was_installed_under_its_original_name_stays_installed() {
    let names = BTreeSet::from(["protect".to_owned()]);
    let tables = json!({"acme-guards/protect": {"name": "acme-protect"}});
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("acme_guards::other")]).unwrap();
    assert!(is_among(&names, &hooks[0], &hooks) && !is_among(&names, &hooks[1], &hooks));
    // If another hook has that name, the name means that hook.
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("others::protect")]).unwrap();
    assert!(!is_among(&names, &hooks[0], &hooks) && is_among(&names, &hooks[1], &hooks));
}

#[test]
fn one_of_several_packages_is_named_by_the_key() {
    let hooks = [guard("acme_guards::files::protect"), guard("others::protect")];
    let changed = applied(&json!({"acme-guards/protect": {"name": "acme-protect"}}), &hooks).unwrap();
    let names = [&*changed[0].declared.name, &*changed[1].declared.name];
    assert_eq!(names, ["acme-protect", "protect"]);
    assert_eq!(
        refused(&json!({"protect": {"off": true}}), &hooks),
        "[workspace.metadata.hookkit.hooks.protect]: several hooks have this name; write \
         [workspace.metadata.hookkit.hooks.\"acme-guards/protect\"] or \
         [workspace.metadata.hookkit.hooks.\"others/protect\"]"
    );
    assert_eq!(
        refused(&json!({"protect": {"off": true}, "acme-guards/protect": {"timeout": 5}}), &hooks[..1]),
        "[workspace.metadata.hookkit.hooks.protect]: this hook also has the table `acme-guards/protect`; keep one of \
         the two"
    );
    let twins = [guard("others::a::protect"), guard("others::b::protect")];
    assert!(refused(&json!({"protect": {}}), &twins).contains("give one of them another name in its attribute"));
}

#[test]
fn a_conflict_is_reported_with_its_fix() {
    let (one, other) = (guard("others::protect"), guard("acme_guards::protect"));
    let message = conflict(&one, &other);
    assert_eq!(
        message,
        "two hooks are called `protect`: others::protect and acme_guards::protect\n\
         To turn off the one of `acme-guards`, write into the workspace's Cargo.toml:\n\
         [workspace.metadata.hookkit.hooks.\"acme-guards/protect\"]\n\
         off = true\n\
         To keep both, write `name = \"acme-guards-protect\"` there instead of `off = true`, or rename one of the functions"
    );
    let tables = json!({"acme-guards/protect": {"off": true}});
    assert!(applied(&tables, &[one.clone(), other]).is_ok());
    let renamed = applied(&json!({"other": {"name": "protect"}}), &[guard("others::other")]).unwrap();
    assert_eq!(
        conflict(&one, &renamed[0]),
        "[workspace.metadata.hookkit.hooks.other] name: others::protect is also called `protect`; write another name"
    );
    // Within one package, no key distinguishes the two.
    assert!(!conflict(&guard("others::a::protect"), &one).contains("Cargo.toml"));
}

#[test]
fn all_faults_are_reported_at_once_with_their_fixes() {
    let hooks = [guard("acme_guards::protect"), guard("acme_guards::other")];
    test_support::lines!("lines/overrides.txt")
        .check(|_, line| refused(&serde_json::from_str(line).expect(line), &hooks));
    let all = refused(&json!({"protect": {"off": 1, "of": true}, "other": {"name": 1}}), &hooks);
    assert_eq!(all.lines().count(), 3, "{all}");
}

#[test]
fn only_errors_from_the_manifest_are_reported_for_it() {
    let spot = |text: &str| -> Vec<Spot> {
        let written = json!({"is_primary": false, "text": [{"text": text}], "expansion": null});
        let panics = json!({"is_primary": true, "text": [], "expansion": {"span": written}});
        serde_json::from_value(json!([panics])).unwrap()
    };
    let line = "    timeout = 5, // from [workspace.metadata.hookkit.hooks.a] timeout";
    assert_eq!(
        refusal("evaluation panicked: too short", &spot(line)).as_deref(),
        Some("[workspace.metadata.hookkit.hooks.a] timeout: too short")
    );
    assert_eq!(refusal("module `deep` is private", &spot("    acme::deep::hook,")), None);
    assert_eq!(refusal("linking failed", &[]), None);
}
