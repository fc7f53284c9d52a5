use hookkit_protocol::hook::{Mode, OnFailure, Written};
use serde_json::json;

use super::launcher::{Spot, refusal};
use super::*;

fn hook(path: &str, entries: &Value) -> Definition {
    let name = path.rsplit("::").next().unwrap().replace('_', "-");
    let package = path.split("::").next().unwrap().replace('_', "-");
    serde_json::from_value(json!({
        "name": name, "description": "", "entries": entries, "if": null, "timeout": 10, "status_message": null,
        "on_failure": "continue", "mode": "awaited", "path": path,
        "package": package, "package_version": "1.0.0",
        "written_matcher": "checked", "written_condition": null,
    }))
    .unwrap()
}

fn guard(path: &str) -> Definition {
    let entry = |event: &str| json!({"event": event, "matcher": "Edit|Write", "blocks_in_settings": false});
    hook(path, &json!([entry("PreToolUse"), entry("PostToolUse")]))
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
        Ok(_) => panic!("{tables} is taken"),
        Err(err) => err.to_string(),
    }
}

#[test]
fn what_is_changed_is_told_and_the_rest_stays() {
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
    let written = read::OPTIONS
        .iter()
        .filter(|option| tables["protect"].get(option).is_some());
    assert_eq!(row["overridden"], json!(written.collect::<Vec<_>>()));
    assert_eq!(row["overridden"].as_array().map(Vec::len), Some(7));
    assert_eq!(hook.target_name(), "acme_guards__protect");
    let place = "// from [workspace.metadata.hookkit.hooks.protect]";
    assert_eq!(
        hook.launcher(),
        format!(
            r#"hookkit::__private::overridden! {{
    acme_guards::protect,
    [
        ("LEVEL", "\"strict\""),
    ],
    PreToolUse | PostToolUse,
    matcher = "Edit", {place} matcher
    if = unchecked("Edit(src/**)"), {place} if
    timeout = 5, {place} timeout
    on_failure = block, {place} on-failure
    status_message = "looking", {place} status-message
    name = "acme-protect", {place} name
}}
"#
        )
    );
    assert_eq!(other.launcher(), "hookkit::main!(acme_guards::other);\n");
    assert_eq!(other.target_name(), "other");
}

#[test]
fn what_the_author_wrote_is_checked_with_what_is_changed() {
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
    // What the types stand for nobody wrote.
    hook.written_matcher = None;
    let launcher = applied(&tables, &[hook]).unwrap()[0].launcher();
    assert!(!launcher.contains("matcher"), "{launcher}");
}

#[test]
fn a_hook_that_is_off_may_be_changed_too() {
    let tables = json!({"protect": {"off": true, "timeout": 5}, "other": {"off": false}});
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("acme_guards::other")]).unwrap();
    assert!(hooks[0].changes.off && !hooks[1].changes.off);
    assert_eq!(hooks[0].changes.overridden, ["timeout"]);
    let refusal = ensure_on(&hooks, "protect").unwrap_err().to_string();
    assert!(
        refusal.starts_with("[workspace.metadata.hookkit.hooks.protect] off: "),
        "{refusal}"
    );
    ensure_on(&hooks, "other").unwrap();
    ensure_on(&hooks, "nobody").unwrap();
}

#[test]
fn a_hook_that_was_installed_under_its_own_name_stays_under_the_new_one() {
    let names = BTreeSet::from(["protect".to_owned()]);
    let tables = json!({"acme-guards/protect": {"name": "acme-protect"}});
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("acme_guards::other")]).unwrap();
    assert!(is_among(&names, &hooks[0], &hooks) && !is_among(&names, &hooks[1], &hooks));
    // Where that is another one's name, that one is meant.
    let hooks = applied(&tables, &[guard("acme_guards::protect"), guard("others::protect")]).unwrap();
    assert!(!is_among(&names, &hooks[0], &hooks) && is_among(&names, &hooks[1], &hooks));
}

#[test]
fn one_of_several_packages_is_named_by_the_key() {
    let hooks = [guard("acme_guards::files::protect"), guard("others::protect")];
    let changed = applied(&json!({"acme-guards/protect": {"name": "acme-protect"}}), &hooks).unwrap();
    assert_eq!(
        (&*changed[0].declared.name, &*changed[1].declared.name),
        ("acme-protect", "protect")
    );
    assert_eq!(
        refused(&json!({"protect": {"off": true}}), &hooks),
        "[workspace.metadata.hookkit.hooks.protect]: this is the name of several hooks; say which one: \
         [workspace.metadata.hookkit.hooks.\"acme-guards/protect\"] or \
         [workspace.metadata.hookkit.hooks.\"others/protect\"]"
    );
    assert_eq!(
        refused(
            &json!({"protect": {"off": true}, "acme-guards/protect": {"timeout": 5}}),
            &hooks[..1]
        ),
        "[workspace.metadata.hookkit.hooks.protect]: this hook is `acme-guards/protect`, too; keep one of the tables"
    );
    let twins = [guard("others::a::protect"), guard("others::b::protect")];
    assert!(refused(&json!({"protect": {}}), &twins).contains("give one of them another one in its attribute"));
}

#[test]
fn a_conflict_is_told_with_what_to_write() {
    let (one, other) = (guard("others::protect"), guard("acme_guards::protect"));
    let told = conflict(&one, &other);
    assert_eq!(
        told,
        "two hooks are called `protect`: others::protect and acme_guards::protect\n\
         To do without that of `acme-guards`, write into the workspace's Cargo.toml:\n\
         [workspace.metadata.hookkit.hooks.\"acme-guards/protect\"]\n\
         off = true\n\
         To have both, write `name = \"acme-guards-protect\"` there in place of `off = true`, or rename one of the functions"
    );
    let tables = json!({"acme-guards/protect": {"off": true}});
    assert!(applied(&tables, &[one.clone(), other]).is_ok());
    let renamed = applied(&json!({"other": {"name": "protect"}}), &[guard("others::other")]).unwrap();
    assert_eq!(
        conflict(&one, &renamed[0]),
        "[workspace.metadata.hookkit.hooks.other] name: others::protect is called `protect`, too; write another name"
    );
    // In one package no key tells them apart.
    assert!(!conflict(&guard("others::a::protect"), &one).contains("Cargo.toml"));
}

#[test]
fn what_no_table_can_be_is_told_at_once_with_the_fix() {
    let hooks = [guard("acme_guards::protect"), guard("acme_guards::other")];
    for (tables, told) in [
        (
            json!({"protekt": {"off": true}}),
            "protekt]: there is no such hook here; did you mean `protect`?",
        ),
        (
            json!({"acme-guard/protect": {"off": true}}),
            "\"acme-guard/protect\"]: there is no such hook here; did you mean `acme-guards/protect`?",
        ),
        (
            json!({"nobody": {}}),
            "nobody]: there is no such hook here; there are `protect`, `other`",
        ),
        (
            json!({"protect": {"matchers": "Edit"}}),
            "protect]: there is no option `matchers`; did you mean `matcher`?",
        ),
        (
            json!({"protect": {"on_failure": "block"}}),
            "protect]: there is no option `on_failure`; did you mean `on-failure`?",
        ),
        (
            json!({"protect": {"async": true}}),
            "protect]: there is no option `async` here; there are `off`, `name`, `matcher`, `if`, `timeout`, \
             `on-failure`, `status-message`, `env`, `config`",
        ),
        (
            json!({"protect": false}),
            "protect]: `false` is found where what changes of the hook is wanted; write a table, as in `{ off = true }`",
        ),
        (
            json!({"protect": {"off": 1}}),
            "protect] off: `1` is found where a boolean is wanted; write `off = true`",
        ),
        (
            json!({"protect": {"timeout": 1.5}}),
            "protect] timeout: `1.5` is found where a whole number of seconds is wanted; write `timeout = 5`",
        ),
        (
            json!({"protect": {"matcher": ["Edit"]}}),
            "protect] matcher: `[\"Edit\"]` is found where a string is wanted; write `matcher = \"…\"`",
        ),
        (
            json!({"protect": {"if": {"uncheckd": "Edit"}}}),
            "protect] if: a table here has one key: write `{ unchecked = … }`, or the value alone",
        ),
        (
            json!({"protect": {"on-failure": "deny"}}),
            "protect] on-failure: `\"deny\"` is found where what a failure means is wanted; \
             write one of \"block\", \"ask\", \"continue\"",
        ),
        (
            json!({"protect": {"env": {"LEVEL": 5}}}),
            "protect] env: `LEVEL`: `5` is found where a string is wanted; write `LEVEL = \"…\"`",
        ),
        (
            json!({"protect": {"env": {"A=B": ""}}}),
            "protect] env: \"A=B\" cannot be a variable's name; write `env = { NAME = \"…\" }`",
        ),
    ] {
        assert_eq!(
            refused(&tables, &hooks),
            format!("[workspace.metadata.hookkit.hooks.{told}")
        );
    }
    let all = refused(
        &json!({"protect": {"off": 1, "of": true}, "other": {"name": 1}}),
        &hooks,
    );
    assert_eq!(all.lines().count(), 3, "{all}");
}

#[test]
fn only_what_comes_from_the_manifest_is_its_fault() {
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
    assert_eq!(
        refusal("module `deep` is private", &spot("    acme::deep::hook,")),
        None
    );
    assert_eq!(refusal("linking failed", &[]), None);
}
