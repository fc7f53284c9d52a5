//! Hooks that are both installed and in a plugin.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use crate::diagnose::active::session::Session;
use crate::diagnose::copies::Copies;
use crate::settings::place::Place;
use crate::settings::scope::Target;
use crate::terminal::listed;

/// The installed hooks that a plugin of the same session also has.
#[derive(Default)]
pub(super) struct Twice {
    /// Text report: one line, and the command that removes one of the two.
    pub(super) lines: Vec<String>,
    /// JSON report.
    pub(super) values: Vec<Value>,
}

impl Twice {
    pub(super) fn of(place: &Place, target: &Target) -> Result<Self> {
        if place.agent().is_some() {
            return Ok(Self::default());
        }
        let folders = target.folders()?;
        let session = Session::of(&folders);
        let copies = Copies::in_session(&session, folders.project.as_deref());
        let mut twice = Self::default();
        let mut said: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (name, other) in copies.with(&session, place.settings()) {
            said.entry(other.plugin(&session)).or_default().insert(name);
            let mut value = other.value();
            value["name"] = json!(name);
            twice.values.push(value);
        }
        twice.lines =
            said.into_iter().map(|(other, names)| format!("Runs twice: {}; {other}\n", listed(names))).collect();
        Ok(twice)
    }
}
