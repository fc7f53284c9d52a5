//! Differences between what is installed and what an install would leave.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;

use crate::build::definition::Definition;
use crate::build::generated::Build;
use crate::settings::place::Place;
use crate::settings::{installed, startup};

/// Builds these hooks, and returns what an install of them would change, by the hook's name.
pub(crate) fn drifted(
    place: &Place,
    build: &Build<'_>,
    all: &[Definition],
    hooks: &[Definition],
) -> Result<Vec<(String, &'static str)>> {
    differing(place, &build.launchers(all, hooks)?, all, hooks)
}

/// Returns what an install of hooks that are built would change.
pub(crate) fn differing(
    place: &Place,
    binaries: &BTreeMap<String, PathBuf>,
    all: &[Definition],
    hooks: &[Definition],
) -> Result<Vec<(String, &'static str)>> {
    let settings = installed::settings(place)?;
    let settings = settings.as_ref();
    let mut drift = Vec::new();
    for hook in hooks {
        let what = installed::drift(hook, &binaries[&hook.declared.name], settings, place)?;
        drift.extend(what.map(|what| (hook.declared.name.clone(), what)));
    }
    let among = |hooks: &[Definition], name: &String| {
        hooks
            .iter()
            .any(|hook| hook.declared.name == *name && !hook.changes.off)
    };
    let named = installed::named(settings, place);
    if place.is_shared() && !named.is_empty() {
        let what = match startup::is_written(place)? {
            false => Some("it is missing, or is another file"),
            true if !settings.is_some_and(|settings| settings.has(&startup::entry(place))) => {
                Some("the settings do not run it as a session starts")
            }
            true => None,
        };
        drift.extend(what.map(|what| ("hookkit.sh".to_owned(), what)));
    }
    for name in named {
        if !among(all, &name) {
            drift.push((name, "it is installed, and there is no such hook any more"));
        } else if place.is_shared() && !among(hooks, &name) {
            drift.push((name, "it is installed, and not chosen"));
        }
    }
    Ok(drift)
}
