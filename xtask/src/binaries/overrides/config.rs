//! Merges the workspace's configuration values into the author's defaults.

use std::collections::BTreeMap;

use anyhow::Result;
use hookkit_protocol::near;
use serde_json::{Map, Value};

use crate::binaries::definition::Definition;
use crate::binaries::overrides::read::{Override, TomlKey};
use crate::terminal::{ensure_none, joined, listed, one_line};

/// Configuration values, by the path of the hook's function.
pub(crate) type Asked = BTreeMap<String, Value>;

/// Decoded values or error messages, by the path of the hook's function.
pub(crate) type Decoded = BTreeMap<String, Result<Value, String>>;

impl Override {
    /// Returns all values of the hook if the workspace sets any.
    pub(super) fn configured(&self, hook: &Definition) -> Result<Option<Value>, String> {
        let Some(given) = &self.config else { return Ok(None) };
        let Some(defaults) = &hook.config else {
            return Err("this hook has no configuration; remove this".to_owned());
        };
        if !defaults.is_object() {
            return Err(
                "the configuration of this hook is not a table, so it cannot be overridden; remove this".to_owned()
            );
        }
        let mut values = defaults.clone();
        merge(&mut values, given);
        Ok(Some(values))
    }
}

/// Replaces values with the given ones. Members that are not given keep their values.
fn merge(values: &mut Value, given: &Map<String, Value>) {
    let Value::Object(values) = values else {
        *values = Value::Object(given.clone());
        return;
    };
    for (key, given) in given {
        match (values.get_mut(key), given) {
            (Some(value @ Value::Object(_)), Value::Object(given)) => merge(value, given),
            _ => drop(values.insert(key.clone(), given.clone())),
        }
    }
}

/// Checks the workspace's values with the types of its hooks.
///
/// # Errors
///
/// Fails if a value does not match its type, or a key does not exist.
pub(crate) fn check(hooks: &[Definition], ask: impl FnOnce(&Asked) -> Result<Decoded>) -> Result<()> {
    let given: Vec<&Definition> = hooks.iter().filter(|hook| hook.changes.overridden.contains(&"config")).collect();
    if given.is_empty() {
        return Ok(());
    }
    let asked: Asked =
        given.iter().filter_map(|hook| Some((hook.declared.path.clone(), hook.config.clone()?))).collect();
    let decoded = ask(&asked)?;
    let mut faults = Vec::new();
    for hook in given {
        let place = TomlKey::of(&hook.changes.key).option("config");
        let path = &hook.declared.path;
        match (&hook.changes.config, decoded.get(path)) {
            (Some(given), Some(Ok(decoded))) => {
                unknown("", given, decoded, &mut |fault| faults.push(place.fault(one_line(&fault))));
            }
            (_, Some(Err(fault))) => faults.push(place.fault(one_line(fault))),
            _ => faults.push(place.fault("its types did not check it; this is a bug in hookkit")),
        }
    }
    ensure_none(&faults)
}

/// Reports given keys that no type has: they are missing from the decoded values.
fn unknown(within: &str, given: &Value, decoded: &Value, report: &mut impl FnMut(String)) {
    if let (Value::Array(given), Value::Array(decoded)) = (given, decoded) {
        for (given, decoded) in given.iter().zip(decoded) {
            unknown(within, given, decoded, report);
        }
    }
    let (Value::Object(given), Value::Object(decoded)) = (given, decoded) else {
        return;
    };
    for (key, value) in given {
        match decoded.get(key) {
            Some(decoded) => unknown(&format!("{within}{key}."), value, decoded, report),
            None => {
                let known = decoded.keys().map(String::as_str);
                let fix = match near(key, known.clone()) {
                    Some(meant) => format!("did you mean `{within}{meant}`?"),
                    None => format!("the keys are {}", listed(known)),
                };
                report(format!("there is no `{within}{key}`; {fix}"));
            }
        }
    }
}

/// Formats the values with their names, on one line.
pub(crate) fn shown(values: &Value) -> String {
    match values {
        Value::Object(values) => joined(values.iter().map(|(name, value)| format!("{name} = {value}")), ", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn given_values_are_merged_into_the_defaults() {
        let mut values = json!({"longest": 10, "names": ["a"], "of": {"x": 1, "y": 2}});
        let given = json!({"longest": 20, "names": [], "of": {"y": 3}, "new": 4});
        merge(&mut values, given.as_object().unwrap());
        assert_eq!(values, json!({"longest": 20, "names": [], "of": {"x": 1, "y": 3}, "new": 4}));
        assert_eq!(shown(&values), r#"longest = 20, names = [], new = 4, of = {"x":1,"y":3}"#);
    }

    #[test]
    fn an_unknown_key_is_reported_with_a_suggestion() {
        let given = json!({"longst": 20, "of": {"z": 1}, "list": [{"patern": 1}]});
        let decoded = json!({"longest": 10, "of": {"x": 1}, "list": [{"pattern": 1}]});
        let mut faults = Vec::new();
        unknown("", &given, &decoded, &mut |fault| faults.push(fault));
        assert_eq!(
            faults,
            [
                "there is no `list.patern`; did you mean `list.pattern`?",
                "there is no `longst`; did you mean `longest`?",
                "there is no `of.z`; did you mean `of.x`?"
            ]
        );
    }
}
