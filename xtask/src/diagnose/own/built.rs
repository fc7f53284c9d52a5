//! Compares the installed hooks of a workspace with a build of its sources.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::Own;
use crate::binaries::definition::Definition;
use crate::binaries::generated::Build;
use crate::binaries::recording::Recording;
use crate::cargo::workspace::Workspace;
use crate::settings::code::installed::out_of_date;
use crate::settings::drift::{Difference, IS_OFF, differing};
use crate::settings::finding::Finding;
use crate::settings::installed;
use crate::settings::place::PlaceKind;
use crate::settings::plan::Hooks;
use crate::settings::scope::Target;
use crate::settings::state::State;
use crate::settings::within::Folders;

/// Compares this workspace's installed hooks with a build of its sources.
pub(crate) fn compare(own: &[Own<'_>], target: &Target) -> Result<Vec<Finding>> {
    let workspace = Workspace::find()?;
    let mut build = Build::new(&workspace)?;
    let all = build.definitions()?;
    let mut findings = Vec::new();
    for place in target.places(&workspace.naming())? {
        installed::ours(&place, &workspace.root)?;
        // A missing binary has its own finding and cannot be compared.
        let is_here = |own: &&Own<'_>| own.is_at(&place) && own.program.is_file();
        let here: Vec<&Own<'_>> = own.iter().filter(is_here).collect();
        if here.is_empty() {
            continue;
        }
        let records = || here.iter().filter_map(|own| own.record.as_ref());
        let is_installed = |hook: &&Definition| here.iter().any(|own| own.name == hook.declared.name);
        let mut hooks: Vec<Definition> = all.iter().filter(is_installed).cloned().collect();
        for hook in &mut hooks {
            hook.entries.retain(|entry| !records().any(|record| record.left_out.contains(&entry.event)));
        }
        let record_runs = records().any(|record| record.records_runs);
        let audit = records().find_map(|record| record.audit);
        let named = place.clone();
        let command = Box::new(move |hook: &str| named.command(hook));
        let of_all_users = matches!(place.kind(), PlaceKind::Managed(_));
        build.recording = Recording::new(&workspace, record_runs, audit, of_all_users, command)?;
        let built = Hooks {
            all: &all,
            definitions: &hooks,
            binaries: &build.binaries(&hooks)?,
            links: &BTreeMap::new(),
            chosen: None,
            folders: &Folders::default(),
            owner: None,
            is_forced: false,
            min_client: workspace.settings.min_client.as_ref(),
            left_out: &BTreeSet::new(),
            record_runs,
            audit,
        };
        for Difference { name, what, .. } in differing(&State::read(&place)?, &built)? {
            // This has its own note.
            if what == IS_OFF {
                continue;
            }
            let own = here.iter().find(|own| own.name == name);
            findings.extend(own.map(|own| own.fixed(out_of_date(&name, what))));
        }
    }
    Ok(findings)
}
