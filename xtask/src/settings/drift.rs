//! Differences between the installed state and an install's result.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::binaries::definition::{Definition, find};
use crate::settings::document::Document;
use crate::settings::entries::group;
use crate::settings::place::Place;
use crate::settings::plan::{self, Hooks};
use crate::settings::record::Record;
use crate::settings::state::State;
use crate::settings::{installed, pause, startup};
use crate::terminal::{joined, one_line};

/// The difference for a hook that `cargo xtask off` or `allow-once` has turned off for a while.
pub(crate) const IS_OFF: &str = "off for a while";

/// A difference between the installed state and an install's result.
#[derive(Serialize)]
pub(crate) struct Difference {
    /// `+` if an install would add something, `-` if it would remove something, `~` if it would change something.
    #[serde(skip)]
    pub(crate) sign: char,
    /// Name of the hook or file.
    pub(crate) name: String,
    pub(crate) what: String,
}

impl Difference {
    pub(crate) fn new(sign: char, name: &str, what: impl Into<String>) -> Self {
        Self { sign, name: name.to_owned(), what: what.into() }
    }
}

/// Returns the changes that an install would make to the settings, and to a project's script.
pub(crate) fn differing(state: &State, hooks: &Hooks<'_>) -> Result<Vec<Difference>> {
    let (place, settings, record) = (&state.place, state.settings.as_ref(), &state.record);
    let named = installed::named(settings, place);
    let records_runs = record.as_ref().is_some_and(|record| record.records_runs);
    let audit = record.as_ref().and_then(|record| record.audit);
    let not_built = match (records_runs, hooks.record_runs) {
        _ if audit != hooks.audit => "audited differently, or not at all",
        (true, false) => "built with `--record`",
        (false, true) => "built without `--record`",
        _ => "binary not built from the current source",
    };
    let mut drift = Vec::new();
    for hook in hooks.definitions {
        let name = &hook.declared.name;
        let is_named = named.contains(name) || hook.entries.is_empty();
        let settings = settings.filter(|_| is_named);
        drift.extend(of_hook(hook, &hooks.binaries[name], settings, place, not_built)?);
    }
    if place.is_shared() && !named.is_empty() {
        let what = if !startup::is_ours(state.script.as_deref()) {
            Some("missing, or another file")
        } else if !settings.is_some_and(|settings| settings.has(&startup::entry(place))) {
            Some("the settings do not run it at session start")
        } else {
            None
        };
        drift.extend(what.map(|what| Difference::new('~', "hookkit.sh", what)));
    }
    let is_outdated = |settings: &Document| settings.renewed().is_ok_and(|renewed| renewed.text() != settings.text());
    if !named.is_empty() && settings.is_some_and(is_outdated) {
        let file = place.settings().file_name().unwrap_or_default().to_string_lossy();
        drift.push(Difference::new('~', &file, "written by another version of hookkit"));
    }
    let is_other = |record: &Record| record.min_client.as_ref() != hooks.min_client;
    if record.as_ref().is_some_and(is_other) {
        drift.push(Difference::new('~', "min-client", "another value was installed"));
    }
    for name in named {
        let mut all = hooks.all.iter().filter(|hook| hook.declared.name == name);
        let why = if all.clone().any(|hook| hook.changes.order.is_some()) {
            "runs in an order"
        } else if all.clone().any(|hook| hook.changes.off) {
            "off in Cargo.toml"
        } else if all.next().is_none() {
            "no longer in the workspace"
        } else if find(hooks.definitions, &name).is_none() {
            "not chosen"
        } else {
            continue;
        };
        drift.push(Difference::new('-', &name, why));
    }
    Ok(drift)
}

/// Returns the changes that an install would make to the settings in a folder of a project.
pub(crate) fn differing_entries(place: &Place, settings: Option<&Document>, hooks: &Hooks<'_>) -> Vec<Difference> {
    let entries = plan::entries(hooks.definitions, place);
    let is_current = settings.is_some_and(|settings| settings.has_only(&entries, |command| place.is_ours(command)));
    let in_settings = |settings| {
        let found = move |hook| Some((hook, of_entries(hook, settings, place)?));
        hooks.definitions.iter().filter_map(found)
    };
    let mut drift: Vec<_> = settings
        .into_iter()
        .flat_map(in_settings)
        .map(|(hook, what)| Difference::new('~', &hook.declared.name, what))
        .collect();
    if drift.is_empty() && !is_current && !entries.is_empty() {
        let (sign, what) = match settings {
            Some(_) => ('~', "not those of the project"),
            None => ('+', "missing"),
        };
        drift.push(Difference::new(sign, "the entries", what));
    }
    drift
}

/// Returns a built hook's differences from the result of an install. `settings` are those that contain the hook.
/// `not_built` describes a differing binary.
fn of_hook(
    hook: &Definition,
    built: &[u8],
    settings: Option<&Document>,
    place: &Place,
    not_built: &'static str,
) -> Result<Option<Difference>> {
    let name = &hook.declared.name;
    let is_off = pause::of(place, name)?.is_some();
    let file = if is_off { pause::program(place, name) } else { place.binary(name) };
    let binary = file.content()?;
    let Some(settings) = settings else {
        let what = if binary.is_none() { "not installed" } else { "not in the settings" };
        return Ok(Some(Difference::new('+', name, what)));
    };
    let what = match binary {
        None => Some("binary missing".to_owned()),
        Some(bytes) => of_entries(hook, settings, place).or_else(|| {
            let what = if !place.has_binary(name) {
                "binary not executable"
            } else if bytes != built {
                not_built
            } else if is_off {
                IS_OFF
            } else {
                return None;
            };
            Some(what.to_owned())
        }),
    };
    Ok(what.map(|what| Difference::new('~', name, what)))
}

/// Returns the parts of a hook's entries that an install would change, such as `timeout 60 → 61 s` or `Stop none →
/// "any"`.
fn of_entries(hook: &Definition, settings: &Document, place: &Place) -> Option<String> {
    let (name, command) = (&hook.declared.name, place.command(&hook.declared.name));
    // Another agent's command may have its own ending.
    let is_of_hook =
        |found: &&str| *found == command || place.agent().is_some() && place.hook(found) == Some(name.as_str());
    let entries = installed::entries(hook, place);
    let found = settings.own_groups().filter(|(_, commands, _)| commands.iter().any(is_of_hook));
    let before = parts(found.map(|(event, _, group)| (event, group)));
    let after = parts(entries.iter().map(|entry| (&*entry.event, group(entry))));
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = joined(
        keys.into_iter().filter(|key| before.get(*key) != after.get(*key)).map(|key| {
            let [before, after] =
                [&before, &after].map(|parts| parts.get(key).map_or("none".to_owned(), Value::to_string));
            let unit = if key == "timeout" { " s" } else { "" };
            format!("{key} {before} → {after}{unit}")
        }),
        ", ",
    );
    if !changed.is_empty() {
        Some(one_line(&changed))
    } else if entries.iter().all(|entry| settings.has(entry)) {
        None
    } else {
        Some("its entry in the settings differs from its attribute".to_owned())
    }
}

/// Returns the matchers of a hook's groups by event, and the members of its handlers.
fn parts<'e>(groups: impl Iterator<Item = (&'e str, Value)>) -> BTreeMap<String, Value> {
    let mut parts = BTreeMap::new();
    for (event, mut group) in groups {
        parts.insert(event.to_owned(), group["matcher"].as_str().unwrap_or("any").into());
        if let Value::Object(handler) = group["hooks"][0].take() {
            parts.extend(handler);
        }
    }
    parts
}
