use serde_json::{Value, json};

use super::*;

/// A hook on PreToolUse, with these changes of its row in a listing.
fn hook(name: &str, changes: &Value) -> Definition {
    let mut row = json!({
        "name": name, "description": "", "if": null, "timeout": null, "status_message": null,
        "on_failure": "continue", "mode": "awaited", "path": format!("acme::{}", name.replace('-', "_")),
        "package": "acme", "package_version": "1.0.0", "written_matcher": null, "written_condition": null,
        "entries": [{"event": "PreToolUse", "matcher": "Bash", "blocks_in_settings": false, "rewrites": true}],
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        row[key] = value.clone();
    }
    serde_json::from_value(row).unwrap()
}

fn on(event: &str, matcher: Option<&str>) -> Value {
    json!({"entries": [{"event": event, "matcher": matcher, "blocks_in_settings": false}]})
}

fn orders(orders: &Value) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(orders.clone()).unwrap()
}

/// Returns the order `both` of hooks with these changes.
fn ordered(changes: &[Value]) -> Result<Definition> {
    let names: Vec<String> = (0..changes.len()).map(|number| format!("hook-{number}")).collect();
    let mut hooks: Vec<Definition> = names
        .iter()
        .zip(changes)
        .map(|(name, changes)| hook(name, changes))
        .collect();
    apply(&orders(&json!({"both": names})), &mut hooks)?;
    Ok(hooks.pop().unwrap())
}

fn refused(changes: &[Value]) -> String {
    ordered(changes).unwrap_err().to_string()
}

#[test]
fn an_order_has_the_time_the_tools_and_the_strictest_policy_of_its_hooks() {
    let block = json!({
        "on_failure": "block", "timeout": 5, "status_message": "looking",
        "entries": [{"event": "PreToolUse", "matcher": "Edit, Bash", "blocks_in_settings": true}],
    });
    let order = ordered(&[
        json!({}),
        block,
        json!({"on_failure": "ask", "status_message": "asking"}),
    ])
    .unwrap();
    assert_eq!(order.subject(), "PreToolUse Bash|Edit");
    assert!(order.entries[0].blocks_in_settings && order.replaces().is_some());
    let declared = &order.declared;
    assert_eq!(
        (declared.timeout, declared.on_failure),
        (Some(600 + 5 + 600 + 1), OnFailure::Block)
    );
    assert_eq!(declared.status_message.as_deref(), Some("looking; asking"));
    assert_eq!(order.packages().collect::<Vec<_>>(), ["acme"; 3]);
    let ask = ordered(&[json!({}), json!({"on_failure": "ask"})]).unwrap();
    assert_eq!(ask.declared.on_failure, OnFailure::Ask);
}

#[test]
fn a_hook_for_all_tools_makes_the_order_one_for_all_tools() {
    let all = ordered(&[json!({}), on("PreToolUse", None)]).unwrap();
    assert_eq!(all.entries[0].matcher, None);
    let expression = on("PreToolUse", Some("mcp__git__.*"));
    let same = ordered(&[expression.clone(), expression]).unwrap();
    assert_eq!(same.entries[0].matcher.as_deref(), Some("mcp__git__.*"));
}

#[test]
fn a_long_time_is_none_that_doctor_reports() {
    let times = |seconds: &[u32]| {
        let hooks: Vec<Value> = seconds.iter().map(|seconds| json!({"timeout": seconds})).collect();
        ordered(&hooks).unwrap().declared.timeout
    };
    assert_eq!(times(&[500, 499]), Some(1001));
    assert_eq!(times(&[3600, 3600]), Some(7200));
}

#[test]
fn the_launcher_names_the_hooks_in_their_order() {
    let mut hooks = [hook("one", &json!({})), hook("other", &json!({"if": null}))].to_vec();
    hooks[0].changes.launcher = Some("hookkit::__private::overridden! {\n}\n".to_owned());
    apply(&orders(&json!({"both": ["other", "one"]})), &mut hooks).unwrap();
    let [one, other, both] = &hooks[..] else {
        panic!("three hooks")
    };
    assert_eq!(
        (one.changes.order.as_deref(), other.changes.order.as_deref()),
        (Some("both"), Some("both"))
    );
    assert!(!one.is_installable() && both.is_installable());
    assert_eq!(
        both.launcher(),
        r#"mod hook_1 {
hookkit::__private::overridden! {
}
}

hookkit::__private::in_order! {
    PreToolUse,
    Some("Bash"),
    hookkit::__private::Declaration {
        name: "both",
        condition: None,
        timeout: Some(1201),
        status_message: None,
        on_failure: hookkit::OnFailure::Continue,
        ..hookkit::__private::UNDECLARED
    },
    [
        hookkit::__private::Member { hook: <acme::other as hookkit::Hook>::DEF, environment: &[] },
        hookkit::__private::Member { hook: &hook_1::__DEF, environment: hook_1::__ENVIRONMENT },
    ]
}
"#
    );
}

#[test]
fn hooks_that_are_off_are_left_out() {
    let mut hooks = ["one", "other", "third"].map(|name| hook(name, &json!({}))).to_vec();
    hooks[1].changes.off = true;
    apply(&orders(&json!({"both": ["one", "other", "third"]})), &mut hooks).unwrap();
    assert_eq!(hooks[3].members.len(), 2);
    hooks.truncate(2);
    hooks[0].changes = Changes {
        off: true,
        ..Changes::default()
    };
    let refused = apply(&orders(&json!({"both": ["one", "other"]})), &mut hooks).unwrap_err();
    assert!(
        refused
            .to_string()
            .ends_with("both: all of its hooks are off; remove it, too")
    );
}

#[test]
fn hooks_that_cannot_be_in_one_order_are_refused_with_the_fix() {
    let place = "[workspace.metadata.hookkit.orders] both: ";
    for (hooks, expected) in [
        (
            [json!({}), on("PostToolUse", None)],
            "`hook-0` is a hook on PreToolUse, and `hook-1` on PostToolUse; write an order for each event",
        ),
        (
            [on("Stop", None), on("Stop", None)],
            "`hook-0` is a hook on Stop; an order is for hooks on PreToolUse, PermissionRequest, PostToolUse",
        ),
        (
            [json!({}), json!({"mode": "async"})],
            "Claude Code does not wait for `hook-1`, so its answer cannot be merged; remove it",
        ),
        (
            [json!({}), json!({"if": "Bash(git *)"})],
            "`hook-0` and `hook-1` have different conditions (`if`), which Claude Code checks before it starts a program; \
             give both the same in [workspace.metadata.hookkit.hooks.NAME], or remove one",
        ),
        (
            [json!({}), on("PreToolUse", Some("mcp__git__.*"))],
            "the matcher of `hook-1` is an expression, `mcp__git__.*`, and hooks of an order have the same matcher or \
             lists of names; write a list in [workspace.metadata.hookkit.hooks.hook-1], or remove it",
        ),
    ] {
        assert_eq!(refused(&hooks), format!("{place}{expected}"));
    }
    let several = json!({"entries": [
        {"event": "PreToolUse", "matcher": null, "blocks_in_settings": false},
        {"event": "PostToolUse", "matcher": null, "blocks_in_settings": false},
    ]});
    assert_eq!(
        refused(&[several, json!({})]),
        format!("{place}`hook-0` is a hook on several events; remove it")
    );
}

#[test]
fn wrong_names_are_refused_with_the_fix() {
    for (tables, expected) in [
        (
            json!({"both": ["one", "othr"]}),
            "both: there is no hook `othr` here; did you mean `other`?",
        ),
        (
            json!({"both": ["one", "unknown"]}),
            "both: there is no hook `unknown` here; the hooks are `one`, `other`",
        ),
        (
            json!({"both": ["one", "one"]}),
            "both: `one` is in it twice; remove one of them",
        ),
        (
            json!({"both": ["one"]}),
            r#"both: an order has at least two hooks; write `["…", "…"]`, or remove it"#,
        ),
        (
            json!({"Both": ["one", "other"]}),
            "Both: this is the name of a binary: use small letters, digits and `-`",
        ),
        (
            json!({"one": ["one", "other"]}),
            "one: a hook has this name; give the order another one",
        ),
        (
            json!({"both": ["one", "other"], "more": ["other", "one"]}),
            "more: `other` is also in the order `both`; remove one of them",
        ),
    ] {
        let mut hooks = ["one", "other"].map(|name| hook(name, &json!({}))).to_vec();
        let refused = apply(&orders(&tables), &mut hooks).unwrap_err().to_string();
        assert_eq!(refused, format!("[workspace.metadata.hookkit.orders] {expected}"));
    }
}
