//! Parses a hook's table. Only the types of the values are checked.

use std::collections::BTreeMap;
use std::fmt;

use hookkit_protocol::hook::{OnFailure, Written};
use hookkit_protocol::near;
use serde_json::{Map, Value};

use crate::terminal::{joined, listed};

/// A workspace's overrides for one hook.
#[derive(Default)]
pub(crate) struct Override {
    /// `NAME` or `PACKAGE/NAME`.
    pub(crate) key: String,
    /// Options that are set, in the order used by messages.
    pub(crate) options: Vec<&'static str>,
    pub(crate) off: bool,
    pub(crate) name: Option<String>,
    pub(crate) matcher: Option<Stated<String>>,
    /// The option `if`.
    pub(crate) condition: Option<Stated<String>>,
    pub(crate) timeout: Option<Stated<u32>>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) status_message: Option<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) config: Option<Map<String, Value>>,
}

/// A value, checked or unchecked.
#[derive(Clone)]
pub(crate) struct Stated<V> {
    pub(crate) value: V,
    pub(crate) written: Written,
}

/// A position in the workspace's Cargo.toml, for messages.
#[derive(Clone, Copy)]
pub(crate) struct TomlKey<'k> {
    key: &'k str,
    option: Option<&'static str>,
}

impl<'k> TomlKey<'k> {
    pub(crate) fn of(key: &'k str) -> Self {
        Self { key, option: None }
    }

    pub(crate) fn option(self, option: &'static str) -> Self {
        Self { option: Some(option), ..self }
    }

    pub(crate) fn fault(&self, fault: impl fmt::Display) -> String {
        format!("{self}: {fault}")
    }
}

impl fmt::Display for TomlKey<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
        let key = if !self.key.is_empty() && self.key.chars().all(is_bare) {
            self.key.to_owned()
        } else {
            // TOML's basic strings accept all escapes that JSON has.
            Value::from(self.key).to_string()
        };
        write!(formatter, "[workspace.metadata.hookkit.hooks.{key}]")?;
        self.option.map_or(Ok(()), |option| write!(formatter, " {option}"))
    }
}

/// A hook's options, in the order used by messages.
pub(super) const OPTIONS: &[&str] =
    &["off", "name", "matcher", "if", "timeout", "on-failure", "status-message", "env", "config"];

impl Override {
    pub(super) fn read(key: &str, table: &Value, faults: &mut Vec<String>) -> Self {
        let place = TomlKey::of(key);
        let mut this = Self { key: key.to_owned(), ..Self::default() };
        let Value::Object(table) = table else {
            let fix = "write a table, as in `{ off = true }`";
            faults.push(place.fault(found(table, "a table of options", fix)));
            return this;
        };
        for (written, value) in table {
            let Some(option) = OPTIONS.iter().find(|option| *option == written) else {
                faults.push(place.fault(unknown_option(written)));
                continue;
            };
            this.options.push(option);
            if let Err(fault) = this.set(option, value) {
                faults.push(place.option(option).fault(fault));
            }
        }
        this.options.sort_by_key(|option| OPTIONS.iter().position(|known| known == option));
        this
    }

    fn set(&mut self, option: &str, value: &Value) -> Result<(), String> {
        match option {
            "off" => self.off = value.as_bool().ok_or_else(|| found(value, "a boolean", "write `off = true`"))?,
            "name" => self.name = Some(string(value, option)?),
            "matcher" => self.matcher = Some(stated(value, |value| string(value, option))?),
            "if" => self.condition = Some(stated(value, |value| string(value, option))?),
            "timeout" => self.timeout = Some(stated(value, seconds)?),
            "on-failure" => self.on_failure = Some(on_failure(value)?),
            "status-message" => self.status_message = Some(string(value, option)?),
            "env" => self.env = variables(value)?,
            _ => {
                self.config = Some(
                    value
                        .as_object()
                        .cloned()
                        .ok_or_else(|| found(value, "a table of values", "write `config = { NAME = … }`"))?,
                );
            }
        }
        Ok(())
    }
}

fn unknown_option(written: &str) -> String {
    match near(written, OPTIONS.iter().copied()) {
        Some(meant) => format!("there is no option `{written}`; did you mean `{meant}`?"),
        None => format!("there is no option `{written}` here; the options are {}", listed(OPTIONS)),
    }
}

/// Parses a value, or an unchecked value: `{ unchecked = … }`.
fn stated<V>(value: &Value, read: impl Fn(&Value) -> Result<V, String>) -> Result<Stated<V>, String> {
    let (value, written) = match value {
        Value::Object(table) => match table.get("unchecked") {
            Some(value) if table.len() == 1 => (value, Written::Unchecked),
            _ => return Err("a table here has one key: write `{ unchecked = … }`, or the value alone".to_owned()),
        },
        value => (value, Written::Checked),
    };
    let value = read(value)?;
    Ok(Stated { value, written })
}

fn string(value: &Value, option: &str) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| found(value, "a string", &format!("write `{option} = \"…\"`")))
}

fn seconds(value: &Value) -> Result<u32, String> {
    let seconds = value.as_u64().and_then(|seconds| u32::try_from(seconds).ok());
    seconds.ok_or_else(|| found(value, "a whole number of seconds", "write `timeout = 5`"))
}

fn on_failure(value: &Value) -> Result<OnFailure, String> {
    value.as_str().and_then(OnFailure::of_word).ok_or_else(|| {
        let words = joined(OnFailure::ALL.iter().map(|policy| format!("{:?}", policy.word())), ", ");
        found(value, "a failure policy", &format!("write one of {words}"))
    })
}

/// Parses the variables of `env`. Fails for variables that the system would reject.
fn variables(value: &Value) -> Result<BTreeMap<String, String>, String> {
    let fix = "write `env = { NAME = \"…\" }`";
    let Value::Object(table) = value else {
        return Err(found(value, "a table of variables", fix));
    };
    let mut variables = BTreeMap::new();
    for (name, value) in table {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(format!("{name:?} cannot be a variable's name; {fix}"));
        }
        let Value::String(text) = value else {
            let fix = format!("write `{name} = \"…\"`");
            return Err(format!("`{name}`: {}", found(value, "a string", &fix)));
        };
        if text.contains('\0') {
            return Err(format!("`{name}`: a variable cannot contain a null character; remove it"));
        }
        variables.insert(name.clone(), text.clone());
    }
    Ok(variables)
}

/// Returns the message for a value of the wrong type.
fn found(value: &Value, expected: &str, fix: &str) -> String {
    format!("expected {expected}, found `{value}`; {fix}")
}
