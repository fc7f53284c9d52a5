//! Differences between what is installed and what an install would leave.

use anyhow::{Context, Result};

use crate::binaries::definition::Definition;
use crate::settings::document::Document;
use crate::settings::place::Place;
use crate::settings::plan::{self, Hooks};
use crate::settings::record::Record;
use crate::settings::{installed, pause, startup};

/// The difference of a hook that `cargo xtask off` or `allow-once` has changed for a while.
pub(crate) const IS_OFF: &str = "it is off for a while";

/// Returns what an install of hooks would change in these settings, next to the script of a project, by the hook's name.
pub(crate) fn differing(
    place: &Place,
    settings: Option<&Document>,
    script: Option<&[u8]>,
    hooks: &Hooks<'_>,
) -> Result<Vec<(String, &'static str)>> {
    let named = installed::named(settings, place);
    let record = Record::read(place)?;
    let records_runs = record.as_ref().is_some_and(|record| record.records_runs);
    let not_built = match (records_runs, hooks.record_runs) {
        (true, false) => "it records its runs",
        (false, true) => "it does not record its runs",
        _ => "its binary was not built from the current source",
    };
    let mut drift = Vec::new();
    for hook in hooks.definitions {
        let name = &hook.declared.name;
        let what = of_hook(
            hook,
            &hooks.binaries[name],
            settings.filter(|_| named.contains(name)),
            place,
            not_built,
        )?;
        drift.extend(what.map(|what| (name.clone(), what)));
    }
    let among = |hooks: &[Definition], name: &String| {
        hooks
            .iter()
            .any(|hook| hook.declared.name == *name && !hook.changes.off)
    };
    if place.is_shared() && !named.is_empty() {
        let what = match startup::is_ours(script) {
            false => Some("it is missing, or is another file"),
            true if !settings.is_some_and(|settings| settings.has(&startup::entry(place))) => {
                Some("the settings do not run it as a session starts")
            }
            true => None,
        };
        drift.extend(what.map(|what| ("hookkit.sh".to_owned(), what)));
    }
    let noted = record.map(|record| record.min_client);
    if noted.is_some_and(|noted| noted.as_ref() != hooks.min_client) {
        drift.push(("min-client".to_owned(), "another one was installed"));
    }
    for name in named {
        let is_in_order = |hook: &Definition| hook.declared.name == name && hook.changes.order.is_some();
        if hooks.all.iter().any(is_in_order) {
            drift.push((name, "it is installed on its own, and runs in an order"));
        } else if !among(hooks.all, &name) {
            drift.push((name, "it is installed, and there is no such hook any more"));
        } else if place.is_shared() && !among(hooks.definitions, &name) {
            drift.push((name, "it is installed, and not chosen"));
        }
    }
    Ok(drift)
}

/// Returns what an install of hooks would change in the settings of a folder within a project.
pub(crate) fn differing_entries(
    place: &Place,
    settings: Option<&Document>,
    hooks: &Hooks<'_>,
) -> Vec<(String, &'static str)> {
    let named = installed::named(settings, place);
    let entries = plan::entries(hooks.definitions, place);
    let is_current = settings.is_some_and(|settings| settings.has_only(&entries, |command| place.is_ours(command)));
    let is_other = |hook: &&Definition| {
        let entries = installed::entries(hook, place);
        !entries
            .iter()
            .all(|entry| settings.is_some_and(|settings| settings.has(entry)))
    };
    let mut drift: Vec<_> = hooks
        .definitions
        .iter()
        .filter(is_other)
        .map(|hook| match named.contains(&hook.declared.name) {
            true => (
                hook.declared.name.clone(),
                "its entry in the settings is not what its attribute says",
            ),
            false => (hook.declared.name.clone(), "the settings do not name it"),
        })
        .collect();
    if drift.is_empty() && !is_current && !entries.is_empty() {
        drift.push(("the entries".to_owned(), "they are not those of the project"));
    }
    drift
}

/// Returns what is not as an install would leave it, of one hook that is built. The settings are those that name it, and
/// `not_built` describes another binary.
fn of_hook(
    hook: &Definition,
    built: &[u8],
    settings: Option<&Document>,
    place: &Place,
    not_built: &'static str,
) -> Result<Option<&'static str>> {
    let name = &hook.declared.name;
    let is_off = pause::of(place, name)?.is_some();
    let file = match is_off {
        true => pause::program(place, name),
        false => place.binary(name),
    };
    let binary = file.read().with_context(|| format!("reading {file}"))?;
    let has = |entry| settings.is_some_and(|settings| settings.has(entry));
    Ok(match binary {
        None if settings.is_none() => Some("it is not installed"),
        None => Some("its binary is missing"),
        Some(_) if settings.is_none() => Some("the settings do not name it"),
        Some(_) if !installed::entries(hook, place).iter().all(has) => {
            Some("its entry in the settings is not what its attribute says")
        }
        Some(_) if !place.has_binary(name) => Some("its binary cannot be run"),
        Some(bytes) if bytes != built => Some(not_built),
        Some(_) if is_off => Some(IS_OFF),
        Some(_) => None,
    })
}
