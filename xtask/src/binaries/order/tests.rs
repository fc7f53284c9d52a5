use serde_json::{Value, json};

use super::*;
use crate::binaries::definition;

/// Returns a hook that can change the input of a call.
fn hook(name: &str, changes: &Value) -> Definition {
    let mut hook = definition::tests::hook(name, changes);
    if changes.get("entries").is_none() {
        hook.entries[0].rewrites = true;
    }
    hook
}

fn on(event: &str, matcher: Option<&str>) -> Value {
    json!({"entries": [{"event": event, "matcher": matcher, "blocks_in_settings": false}]})
}

fn orders(orders: &Value) -> BTreeMap<String, Vec<String>> {
    serde_json::from_value(orders.clone()).unwrap()
}

/// Returns the order `both`, whose hooks have these changes.
fn ordered(changes: &[Value]) -> Result<Definition> {
    let names: Vec<String> = (0..changes.len()).map(|number| format!("hook-{number}")).collect();
    let mut hooks: Vec<Definition> = names.iter().zip(changes).map(|(name, changes)| hook(name, changes)).collect();
    apply(&orders(&json!({"both": names})), &mut hooks)?;
    Ok(hooks.pop().unwrap())
}

#[test]
fn an_order_has_the_time_the_tools_and_the_strictest_policy_of_its_hooks() {
    let block = json!({
        "on_failure": "block", "timeout": 5, "status_message": "looking",
        "entries": [{"event": "PreToolUse", "matcher": "Edit, Bash", "blocks_in_settings": true}],
    });
    let order = ordered(&[json!({}), block, json!({"on_failure": "ask", "status_message": "asking"})]).unwrap();
    assert_eq!(order.subject(), "PreToolUse Bash|Edit");
    assert!(order.entries[0].blocks_in_settings && order.replaces().is_some());
    let declared = &order.declared;
    assert_eq!((declared.timeout, declared.on_failure), (Some(600 + 5 + 600 + 1), OnFailure::Block));
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
    let [one, other, both] = &hooks[..] else { panic!("three hooks") };
    assert_eq!((one.changes.order.as_deref(), other.changes.order.as_deref()), (Some("both"), Some("both")));
    assert!(!one.is_installable() && both.is_installable());
    assert_eq!(both.launcher(), include_str!("../../../lines/launcher-in-order.txt"));
}

#[test]
fn hooks_that_are_off_are_left_out() {
    let mut hooks = ["one", "other", "third"].map(|name| hook(name, &json!({}))).to_vec();
    hooks[1].changes.off = true;
    apply(&orders(&json!({"both": ["one", "other", "third"]})), &mut hooks).unwrap();
    assert_eq!(hooks[3].members.len(), 2);
    hooks.truncate(2);
    hooks[0].changes = Changes { off: true, ..Changes::default() };
    let refused = apply(&orders(&json!({"both": ["one", "other"]})), &mut hooks).unwrap_err();
    assert!(refused.to_string().ends_with("both: all of its hooks are off; remove the order"));
}

#[test]
fn a_wrong_order_is_refused_with_the_fix() {
    test_support::lines!("lines/orders.txt").check(|section, line| {
        let tables: Value = serde_json::from_str(line).unwrap();
        let refused = match section.name {
            "of hooks with these changes" => ordered(tables["hooks"].as_array().unwrap()).map(drop),
            _ => {
                let mut hooks = ["one", "other"].map(|name| hook(name, &json!({}))).to_vec();
                apply(&orders(&tables), &mut hooks)
            }
        };
        refused.unwrap_err().to_string()
    });
}
