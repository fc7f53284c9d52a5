//! What a workspace changes of one hook, as its table in the Cargo.toml says it.

use std::collections::BTreeMap;
use std::fmt;

use hookkit_protocol::hook::{OnFailure, Written};
use serde_json::{Map, Value};

/// What a workspace changes of one hook.
#[derive(Default)]
pub(crate) struct Override {
    /// `NAME` or `PACKAGE/NAME`.
    pub(crate) key: String,
    /// The options that are there, in the order that messages have.
    pub(crate) options: Vec<&'static str>,
    pub(crate) off: bool,
    pub(crate) name: Option<String>,
    pub(crate) matcher: Option<Stated<String>>,
    /// `if`
    pub(crate) condition: Option<Stated<String>>,
    pub(crate) timeout: Option<Stated<u32>>,
    pub(crate) on_failure: Option<OnFailure>,
    pub(crate) status_message: Option<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) config: Option<Map<String, Value>>,
}

/// A value, and whether it is to be checked.
#[derive(Clone)]
pub(crate) struct Stated<V> {
    pub(crate) value: V,
    pub(crate) written: Written,
}

/// A place in the workspace's Cargo.toml, as it is told.
#[derive(Clone, Copy)]
pub(crate) struct Place<'k> {
    key: &'k str,
    option: Option<&'static str>,
}

impl<'k> Place<'k> {
    pub(crate) fn of(key: &'k str) -> Self {
        Self { key, option: None }
    }

    pub(crate) fn option(self, option: &'static str) -> Self {
        Self {
            option: Some(option),
            ..self
        }
    }

    pub(crate) fn fault(&self, fault: impl fmt::Display) -> String {
        format!("{self}: {fault}")
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_bare = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
        let key = if !self.key.is_empty() && self.key.chars().all(is_bare) {
            self.key.to_owned()
        } else {
            // TOML's basic strings take every escape that JSON writes.
            Value::from(self.key).to_string()
        };
        write!(formatter, "[workspace.metadata.hookkit.hooks.{key}]")?;
        self.option.map_or(Ok(()), |option| write!(formatter, " {option}"))
    }
}
