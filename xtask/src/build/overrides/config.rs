//! The configuration of a hook: the values that a workspace gives, and those that its author has.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use hookkit_protocol::lint::near;
use serde_json::{Map, Value};

use crate::build::definition::Definition;
use crate::build::overrides::read::{Override, Place};
use crate::terminal::{listed, one_line};

/// The values of hooks, by the paths of their functions.
pub(crate) type Asked = BTreeMap<String, Value>;

/// The values as decoded, or the fault.
pub(crate) type Understood = BTreeMap<String, Result<Value, String>>;

impl Override {
    /// Returns all values of the hook, if the workspace gives any.
    pub(super) fn configured(&self, hook: &Definition) -> Result<Option<Value>, String> {
        let Some(given) = &self.config else { return Ok(None) };
        let Some(defaults) = &hook.config else {
            return Err("this hook has nothing to configure; remove this".to_owned());
        };
        if !defaults.is_object() {
            return Err(
                "the configuration of this hook is not a table, and has its author's value; remove this".to_owned(),
            );
        }
        let mut values = defaults.clone();
        merge(&mut values, given);
        Ok(Some(values))
    }
}

/// Replaces values by those that are given. Of an object, what is not given stays.
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

/// Has the types of the hooks understand the values that a workspace gives.
///
/// # Errors
///
/// If one of them does not fit its type, or is not one of its values.
pub(crate) fn check(hooks: &[Definition], ask: impl FnOnce(&Asked) -> Result<Understood>) -> Result<()> {
    let is_given = |hook: &&Definition| hook.changes.overridden.contains(&"config");
    let given: Vec<&Definition> = hooks.iter().filter(is_given).collect();
    if given.is_empty() {
        return Ok(());
    }
    let of_hook = |hook: &&Definition| Some((hook.declared.path.clone(), hook.config.clone()?));
    let asked: Asked = given.iter().filter_map(of_hook).collect();
    let understood = ask(&asked)?;
    let mut faults = Vec::new();
    for hook in given {
        let place = Place::of(&hook.changes.key).option("config");
        let path = &hook.declared.path;
        match (&hook.changes.config, understood.get(path)) {
            (Some(given), Some(Ok(understood))) => {
                unknown("", given, understood, &mut |fault| {
                    faults.push(place.fault(one_line(&fault)))
                });
            }
            (_, Some(Err(fault))) => faults.push(place.fault(one_line(fault))),
            _ => faults.push(place.fault("its types were not asked; this is a fault of hookkit")),
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// Tells of keys that were given, and are not there any more once the values were decoded.
fn unknown(within: &str, given: &Value, understood: &Value, tell: &mut impl FnMut(String)) {
    if let (Value::Array(given), Value::Array(understood)) = (given, understood) {
        for (given, understood) in given.iter().zip(understood) {
            unknown(within, given, understood, tell);
        }
    }
    let (Value::Object(given), Value::Object(understood)) = (given, understood) else {
        return;
    };
    for (key, value) in given {
        match understood.get(key) {
            Some(understood) => unknown(&format!("{within}{key}."), value, understood, tell),
            None => {
                let known = understood.keys().map(String::as_str);
                let fix = match near(key, known.clone()) {
                    Some(meant) => format!("did you mean `{within}{meant}`?"),
                    None => format!("there are {}", listed(known)),
                };
                tell(format!("there is no `{within}{key}`; {fix}"));
            }
        }
    }
}

/// The values in one line, by their names.
pub(crate) fn shown(values: &Value) -> String {
    match values {
        Value::Object(values) => {
            let each = values.iter().map(|(name, value)| format!("{name} = {value}"));
            each.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_goes_into_what_the_author_has() {
        let mut values = json!({"longest": 10, "names": ["a"], "of": {"x": 1, "y": 2}});
        let given = json!({"longest": 20, "names": [], "of": {"y": 3}, "new": 4});
        merge(&mut values, given.as_object().unwrap());
        assert_eq!(
            values,
            json!({"longest": 20, "names": [], "of": {"x": 1, "y": 3}, "new": 4})
        );
        assert_eq!(
            shown(&values),
            r#"longest = 20, names = [], new = 4, of = {"x":1,"y":3}"#
        );
    }

    #[test]
    fn a_key_that_was_not_understood_is_told_with_the_one_that_is_meant() {
        let given = json!({"longst": 20, "of": {"z": 1}, "list": [{"patern": 1}]});
        let understood = json!({"longest": 10, "of": {"x": 1}, "list": [{"pattern": 1}]});
        let mut told = Vec::new();
        unknown("", &given, &understood, &mut |fault| told.push(fault));
        assert_eq!(
            told,
            [
                "there is no `list.patern`; did you mean `list.pattern`?",
                "there is no `longst`; did you mean `longest`?",
                "there is no `of.z`; did you mean `of.x`?"
            ]
        );
    }
}
